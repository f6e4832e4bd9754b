// Votes on their way. A vote is written down here before it is sent, and crossed out when the server has it: a dropped
// connection, a crash or a reload loses nothing, and the submission's id lets the server store it once.
"use strict";

class Outbox {
  static FIRST_WAIT = 1000;
  static LONGEST_WAIT = 30_000;

  constructor(owner, { onState, onRefused, token }) {
    this.key = `concord.outbox.${owner}`;
    this.onState = onState;
    this.onRefused = onRefused;
    this.token = token;
    this.wait = Outbox.FIRST_WAIT;
    window.addEventListener("online", () => this.flush());
  }

  get entries() {
    return JSON.parse(localStorage.getItem(this.key) ?? "[]");
  }

  add(entry) {
    localStorage.setItem(this.key, JSON.stringify([...this.entries, entry]));
  }

  cross(entry) {
    localStorage.setItem(this.key, JSON.stringify(this.entries.filter((other) => other.id !== entry.id)));
  }

  // Sends everything in order; one tab at a time. Resolves when nothing more can be done now.
  flush() {
    clearTimeout(this.timer);
    return navigator.locks.request(this.key, async () => {
      for (const entry of this.entries) {
        const outcome = await this.send(entry);
        if (outcome !== "sent") return this.later(outcome);
      }
      this.wait = Outbox.FIRST_WAIT;
      this.onState("sent", 0);
    });
  }

  async send(entry) {
    const body = new URLSearchParams(entry.body);
    body.set("csrfmiddlewaretoken", this.token()); // the one it was written with may be out of date
    let response;
    try {
      response = await fetch(entry.url, { method: "POST", body, redirect: "manual", headers: { Accept: "application/json" } });
    } catch {
      return "offline";
    }
    if (response.type === "opaqueredirect") return "logged out";
    if (response.status >= 500 || response.status === 429) return "offline";
    this.cross(entry);
    if (!response.ok) this.onRefused(entry, await Outbox.reason(response));
    return "sent";
  }

  static async reason(response) {
    const said = response.headers.get("Content-Type")?.startsWith("application/json") ? await response.json() : {};
    return said.error ?? `The server answered ${response.status}.`;
  }

  later(outcome) {
    this.onState(outcome, this.entries.length);
    this.timer = setTimeout(() => this.flush(), this.wait);
    this.wait = Math.min(this.wait * 2, Outbox.LONGEST_WAIT);
  }
}
