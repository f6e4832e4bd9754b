// Votes on their way. A vote is written down here before it is sent, and crossed out when the server has it: a dropped
// connection, a crash or a reload loses nothing, and the submission's id lets the server store it once.
"use strict";

class Outbox {
  static FIRST_WAIT = 1000;
  static LONGEST_WAIT = 30_000;

  constructor(owner, { onState, onRefused }) {
    this.prefix = `concord.outbox.${owner}.`;
    this.onState = onState;
    this.onRefused = onRefused;
    this.wait = Outbox.FIRST_WAIT;
    window.addEventListener("online", () => this.flush());
  }

  // Each vote has a key of its own, so that two tabs never write over each other.
  get entries() {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(this.prefix));
    return keys.map((key) => JSON.parse(localStorage.getItem(key))).sort((one, other) => one.at - other.at);
  }

  add(entry) {
    localStorage.setItem(this.prefix + entry.id, JSON.stringify({ ...entry, at: Date.now() }));
  }

  cross(entry) {
    localStorage.removeItem(this.prefix + entry.id);
  }

  // Sends everything in order; one tab at a time, where the browser lets tabs speak of it. Without that, two tabs may
  // send the same vote, and the server stores it once.
  flush() {
    clearTimeout(this.timer);
    return navigator.locks ? navigator.locks.request(this.prefix, () => this.sendAll()) : this.sendAll();
  }

  async sendAll() {
    for (const entry of this.entries) {
      const outcome = await this.send(entry);
      if (outcome !== "sent") return this.later(outcome);
    }
    this.wait = Outbox.FIRST_WAIT;
    this.onState("sent", 0);
  }

  async send(entry, mayAskForToken = true) {
    const body = new URLSearchParams(entry.body);
    body.set("csrfmiddlewaretoken", Outbox.tokens()[0].value); // the one it was written with may be out of date
    let response;
    try {
      response = await fetch(entry.url, { method: "POST", body, redirect: "manual", headers: { Accept: "application/json" } });
    } catch {
      return "offline";
    }
    if (response.type === "opaqueredirect") return "logged out";
    if (response.status >= 500 || response.status === 429) return "offline";
    if (response.status === 403 && mayAskForToken && (await Outbox.renewToken())) return this.send(entry, false);
    this.cross(entry);
    if (!response.ok) {
      localStorage.setItem(entry.draftKey, entry.body); // refused, not lost: it is there when the item is opened again
      this.onRefused(entry, await Outbox.reason(response));
    }
    return "sent";
  }

  static tokens() {
    return document.querySelectorAll("input[name=csrfmiddlewaretoken]");
  }

  // After a log-in in another tab, this page's token is no longer valid; any page of ours brings a new one.
  static async renewToken() {
    const response = await fetch(location.href, { redirect: "manual" });
    if (!response.ok) return false;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const fresh = page.querySelector("input[name=csrfmiddlewaretoken]")?.value;
    for (const input of Outbox.tokens()) input.value = fresh ?? input.value;
    return Boolean(fresh);
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

// What the page says about votes that wait, and about those that were refused.
class Connection {
  constructor(element) {
    this.element = element;
  }

  show(outcome, count) {
    const waiting = this.element.querySelector("[data-waiting]") ?? this.line("waiting");
    const votes = count === 1 ? "1 vote waits" : `${count} votes wait`;
    if (outcome === "sent") waiting.remove();
    else if (outcome === "logged out") waiting.replaceChildren(`${votes} in this browser. `, Connection.link(location.href, "Log in again to send."));
    else waiting.textContent = `No connection. ${votes} in this browser and will be sent when it is back.`;
  }

  refused(entry, reason) {
    this.line("refused").replaceChildren(`Your vote on “${entry.title}” was not taken: ${reason} What you wrote is kept. `, Connection.link(entry.url, "Open it"));
  }

  line(name) {
    const line = document.createElement("span");
    line.dataset[name] = "";
    this.element.append(line);
    return line;
  }

  static link(url, words) {
    const anchor = document.createElement("a");
    anchor.href = url;
    anchor.textContent = words;
    return anchor;
  }
}

// On a page without an item: what still waits is sent from here too.
const elsewhere = document.querySelector("[data-outbox]");
if (elsewhere) {
  const connection = new Connection(elsewhere);
  new Outbox(elsewhere.dataset.outbox, {
    onState: (outcome, count) => connection.show(outcome, count),
    onRefused: (entry, reason) => connection.refused(entry, reason),
  }).flush();
}
