// Time spent on one item: active (seen and used), idle (left alone), and hidden (behind another tab or window).
"use strict";

class Clock {
  static TICK = 1000;
  static PATIENCE = 30_000; // without a move, a key or a scroll for so long, nobody is there
  static SLEPT = 5000; // a tick this late means that the machine slept

  constructor(before, show) {
    this.show = show; // to its owner
    this.active = before.active;
    this.idle = before.idle;
    this.hidden = before.hidden ?? 0;
    this.wasVisible = document.visibilityState === "visible";
    this.last = this.touched = performance.now();
    const touch = () => { this.touched = performance.now(); };
    this.events = ["pointermove", "pointerdown", "keydown", "wheel", "scroll", "touchstart"];
    for (const name of this.events) document.addEventListener(name, touch, { passive: true, capture: true });
    this.touch = touch;
    this.timer = setInterval(() => this.tick(), Clock.TICK);
  }

  tick() {
    const now = performance.now();
    const passed = now - this.last;
    const present = now - this.touched < Clock.PATIENCE && passed < Clock.SLEPT;
    this[this.wasVisible ? (present ? "active" : "idle") : "hidden"] += passed / 1000;
    this.wasVisible = document.visibilityState === "visible";
    this.last = now;
    this.show(this.active);
  }

  // Each by itself.
  parts() {
    this.tick();
    return { active: Clock.rounded(this.active), idle: Clock.rounded(this.idle), hidden: Clock.rounded(this.hidden) };
  }

  // Where hidden is idle too.
  read() {
    this.tick();
    const [active, idle] = [Clock.rounded(this.active), Clock.rounded(this.idle + this.hidden)];
    return { wall: Clock.rounded(active + idle), active, idle };
  }

  static rounded(seconds) {
    return Math.round(seconds * 10) / 10;
  }

  stop() {
    clearInterval(this.timer);
    for (const name of this.events) document.removeEventListener(name, this.touch, { capture: true });
  }
}
