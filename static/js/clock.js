// Time spent on one item, by three clocks: wall, active (seen and used), and idle (hidden, or left alone).
"use strict";

class Clock {
  static TICK = 1000;
  static PATIENCE = 30_000; // without a move, a key or a scroll for so long, nobody is there
  static SLEPT = 5000; // a tick this late means that the machine slept

  constructor(before, show) {
    this.show = show; // to its owner
    this.active = before.active;
    this.idle = before.idle;
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
    const present = document.visibilityState === "visible" && now - this.touched < Clock.PATIENCE;
    this[present && passed < Clock.SLEPT ? "active" : "idle"] += passed / 1000;
    this.last = now;
    this.show(this.active);
  }

  read() {
    this.tick();
    const [active, idle] = [this.active, this.idle].map((seconds) => Math.round(seconds * 10) / 10);
    return { wall: Math.round((active + idle) * 10) / 10, active, idle };
  }

  stop() {
    clearInterval(this.timer);
    for (const name of this.events) document.removeEventListener(name, this.touch, { capture: true });
  }
}
