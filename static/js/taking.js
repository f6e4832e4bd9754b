// The questionnaire with its comforts: each answer is saved as it is given, and keys answer. Without this file the form
// sends a page at a time.
"use strict";

const form = document.querySelector("[data-sheet]");
const lines = [...form.querySelectorAll("[data-line]")];
const saved = form.querySelector("[data-saved]");
const stored = Boolean(form.dataset.answer); // a practice item is not
const waiting = new Map(); // lines that are not saved yet
let sending = null; // a promise while something is on its way
let wait = 1000;

form.classList.add("names--live");

const inputs = (line, kind) => [...line.querySelectorAll(`input[name^="${kind}."]`)];
const chosen = (line, kind) => inputs(line, kind).find((input) => input.checked)?.value ?? "";
const isComplete = (line) => chosen(line, "answer") === "yes" || (chosen(line, "answer") === "no" && chosen(line, "reason") !== "");

// Time on this page --------------------------------------------------------------------------------------------------
const before = Object.fromEntries(["active", "idle", "hidden"].map((name) => [name, Number(form.elements[name]?.value) || 0]));
const clock = stored ? new Clock(before, () => {}) : null;

function times() {
  const parts = clock ? clock.parts() : {};
  for (const [name, seconds] of Object.entries(parts)) form.elements[name].value = seconds;
  return parts;
}

// A page that is left, or put away, tells its time.
document.addEventListener("visibilitychange", () => {
  if (!stored) return;
  const parts = times(); // also when it comes back: what passed meanwhile was hidden
  if (document.visibilityState !== "hidden") return;
  saveComment();
  navigator.sendBeacon(form.dataset.time, new URLSearchParams({ form: form.elements.form.value, ...parts }));
});

// Saving -------------------------------------------------------------------------------------------------------------
function save(line) {
  if (!stored || !chosen(line, "answer")) return;
  waiting.set(line.dataset.line, line);
  sending ??= sendAll().finally(() => { sending = null; });
}

async function sendAll() {
  while (waiting.size) {
    const [code, line] = waiting.entries().next().value;
    waiting.delete(code);
    if (await send(line)) continue;
    if (!waiting.has(code)) waiting.set(code, line);
    say("Not saved yet: no connection. We try again.", true);
    await new Promise((resolve) => { setTimeout(resolve, wait); });
    wait = Math.min(wait * 2, 30_000);
  }
}

// True when the server has it or will never take it; false when it is worth trying again.
async function send(line) {
  const revision = form.elements[`revision.${line.dataset.line}`];
  const body = new URLSearchParams({
    form: form.elements.form.value, line: line.dataset.line, answer: chosen(line, "answer"), reason: chosen(line, "reason"), revision: revision.value, ...times(),
  });
  let response;
  try {
    response = await fetch(form.dataset.answer, { method: "POST", body, headers: { Accept: "application/json" } });
  } catch {
    return false;
  }
  if (response.status >= 500 || response.status === 429) return false;
  const said = await response.json();
  wait = 1000;
  if (!response.ok) {
    line.classList.add("line--missing");
    say(said.error, true);
    if (response.status === 409) offerReload();
    return true;
  }
  revision.value = said.revision;
  if (waiting.has(line.dataset.line)) return true; // it was changed meanwhile, and goes again
  line.querySelector("[data-state]").textContent = "Saved";
  say(said.complete && !waiting.size ? "All answers on this page are saved." : "Saved.", false);
  return true;
}

// A comment is saved in a pause of writing, and when one goes on or leaves the page. What was tried is remembered: it may be stored even
// where no answer came back, and is then no change by somebody else.
const comment = form.elements.comment;
let commentKept = comment?.value;

async function saveComment() {
  if (!stored || comment.value === commentKept) return;
  const known = [...form.querySelectorAll("[name=comment_was]")];
  const body = new URLSearchParams({ form: form.elements.form.value, comment: comment.value, ...times() });
  for (const one of known) body.append("comment_was", one.value);
  const tried = known[0].cloneNode();
  tried.value = comment.value;
  form.append(tried);
  try {
    const response = await fetch(form.dataset.comment, { method: "POST", body, keepalive: true, headers: { Accept: "application/json" } });
    if (response.ok) {
      commentKept = tried.value;
      say("Comment saved.", false);
    } else if (response.status < 500) {
      say((await response.json()).error, true);
      if (response.status === 409) offerReload();
    }
  } catch {
    say("The comment is not saved yet: no connection. It goes with the page.", true);
  }
}
let pause;
comment?.addEventListener("input", () => {
  clearTimeout(pause);
  pause = setTimeout(saveComment, 1000);
});
comment?.addEventListener("change", saveComment);

function say(words, trouble) {
  saved.textContent = words;
  saved.toggleAttribute("data-trouble", trouble);
}

function offerReload() {
  const link = document.createElement("a");
  link.href = location.href;
  link.textContent = "Show what is stored";
  saved.append(" ", link);
}

form.addEventListener("change", (event) => {
  const line = event.target.closest("[data-line]");
  if (!line) return;
  if (chosen(line, "answer") === "yes") inputs(line, "reason").forEach((input) => { input.checked = input.value === ""; });
  if (isComplete(line)) line.classList.remove("line--missing");
  line.querySelector("[data-state]").textContent = "";
  makeCurrent(line);
  save(line);
});

// What is on its way must arrive before the page itself is sent: both say which writing they know.
form.addEventListener("submit", async (event) => {
  if (stored) times();
  if (!sending) return;
  event.preventDefault();
  const button = event.submitter;
  await Promise.race([sending, new Promise((resolve) => { setTimeout(resolve, 3000); })]);
  const go = document.createElement("input");
  Object.assign(go, { type: "hidden", name: "go", value: button?.value ?? "next" });
  form.append(go);
  form.submit();
});

// Keys ---------------------------------------------------------------------------------------------------------------
let current = null;
const toggle = document.querySelector("[data-keys]");
const keysAreOn = () => localStorage.getItem("concord.keys") !== "off";

function showKeys() {
  toggle.hidden = false;
  toggle.textContent = keysAreOn() ? "Keys on" : "Keys off";
  toggle.setAttribute("aria-pressed", String(keysAreOn()));
  form.classList.toggle("names--quiet", !keysAreOn());
}
toggle.addEventListener("click", () => {
  localStorage.setItem("concord.keys", keysAreOn() ? "off" : "on");
  showKeys();
  toggle.blur();
});

function makeCurrent(line) {
  current = line;
  for (const other of lines) other.toggleAttribute("data-current", other === line);
}

function goTo(line) {
  makeCurrent(line);
  const input = inputs(line, "answer").find((radio) => radio.checked) ?? inputs(line, "answer")[0];
  input.focus({ preventScroll: true });
  line.scrollIntoView({ block: "nearest" });
}

// To the next name that wants an answer; behind the last one, to the button.
function moveOn() {
  const later = lines.slice(lines.indexOf(current) + 1);
  const next = later[0] ?? lines.find((line) => !isComplete(line));
  if (next) return goTo(next);
  makeCurrent(null);
  form.querySelector("[data-next]").focus();
}

function choose(line, kind, value) {
  const input = inputs(line, kind).find((radio) => radio.value === value);
  if (!input) return;
  input.checked = true;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

const isTyping = (element) => element.matches("textarea, select, input:not([type=radio], [type=checkbox])");

document.addEventListener("focusin", (event) => {
  const line = event.target.closest("[data-line]");
  if (line) makeCurrent(line);
});

document.addEventListener("keydown", (event) => {
  const element = document.activeElement ?? document.body;
  if (event.ctrlKey || event.metaKey || event.altKey || !keysAreOn()) return;
  if (isTyping(element)) {
    if (event.key === "Escape") element.blur();
    return;
  }
  if (event.key === "Enter" && !element.matches("a, button, summary")) {
    event.preventDefault();
    form.requestSubmit(form.querySelector("[data-next]"));
    return;
  }
  const line = current ?? lines.find((other) => !isComplete(other)) ?? lines[0];
  if (answerByKey(line, event.key.toLowerCase())) event.preventDefault();
});

function answerByKey(line, key) {
  const reasons = inputs(line, "reason").filter((input) => input.value !== "");
  if (key === "y") {
    choose(line, "answer", "yes");
    current = line;
    moveOn();
  } else if (key === "n") {
    choose(line, "answer", "no");
    goTo(line);
  } else if (reasons[Number(key) - 1] && chosen(line, "answer") === "no") {
    choose(line, "reason", reasons[Number(key) - 1].value);
    current = line;
    moveOn();
  } else {
    return false;
  }
  return true;
}

showKeys();
const first = form.querySelector(".line--missing") ?? lines.find((line) => !isComplete(line));
if (first) makeCurrent(first);
