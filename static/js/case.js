// A case with its comforts: what others do appears, what one writes survives, and the time spent is counted. The page is
// whole without this file.
"use strict";

const bar = document.getElementById("case");
const drafts = `concord.case.${bar.dataset.case}.`;

// What is new on the screen has been seen: forms say so when they are sent. ---------------------------------------------
let opened = [];

document.addEventListener("htmx:beforeSwap", () => {
  opened = [...document.querySelectorAll("#live details[open]")].map((details) => details.id);
});
document.addEventListener("htmx:afterSettle", () => {
  for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
  const version = document.getElementById("live").dataset.version;
  for (const field of document.querySelectorAll("form input[name=version]")) field.value = version;
});

// Words that were not sent yet come back with the page. ------------------------------------------------------------------
const sentBefore = sessionStorage.getItem(`${drafts}sent`);
sessionStorage.removeItem(`${drafts}sent`);
const wasRefused = document.querySelector("[data-error]") !== null;

for (const form of document.querySelectorAll("[data-case-form]")) {
  const wasSent = sentBefore === form.id && !wasRefused;
  for (const field of form.querySelectorAll("textarea")) {
    const key = `${drafts}${form.id}.${field.name}`;
    if (wasSent) localStorage.removeItem(key);
    const kept = localStorage.getItem(key);
    if (kept && !field.value) field.value = kept;
    field.addEventListener("input", () => {
      if (field.value) localStorage.setItem(key, field.value);
      else localStorage.removeItem(key);
    });
  }
  form.addEventListener("submit", () => sessionStorage.setItem(`${drafts}sent`, form.id));
}

// The time spent here, sent whenever the page is left or hidden. ---------------------------------------------------------
const clock = new Clock({ active: 0, idle: 0 }, (seconds) => {
  const minutes = Math.floor(seconds / 60);
  document.querySelector("[data-clock]").textContent = `${minutes}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
});
let told = 0;

function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16)); // randomUUID is only there where the connection is secure
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

function tellTime() {
  const seconds = Math.round((clock.read().active - told) * 10) / 10;
  if (seconds < 1 || !bar.dataset.sitting) return;
  told += seconds;
  const body = new URLSearchParams({
    csrfmiddlewaretoken: bar.querySelector("input[name=csrfmiddlewaretoken]").value,
    submission: uuid(),
    seconds: String(seconds),
    from: bar.dataset.from ?? "",
  });
  navigator.sendBeacon(bar.dataset.sitting, body);
}

document.addEventListener("visibilitychange", () => { if (document.visibilityState === "hidden") tellTime(); });
window.addEventListener("pagehide", tellTime);
