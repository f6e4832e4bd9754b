// The judging page with its comforts: keys, conditions, drafts, and the next item at once. All of it also works by plain
// forms and links.
"use strict";

let article; // the item on the screen
let clock;
let next; // a promise of the HTML of the item after it, or of null
let saving; // the timer of the next draft
let underway; // the draft that is being sent
let stuck = false; // this item's vote is given, and there is no other item to show yet

const form = () => article.querySelector("[data-answers]");
const connection = new Connection(document.getElementById("connection"));
const outbox = new Outbox(document.getElementById("judging").dataset.user, { onState, onRefused });

function onState(outcome, count) {
  connection.show(outcome, count);
  if (outcome === "sent" && stuck) location.assign(article.dataset.judge);
}

function onRefused(entry, reason) {
  if (entry.url !== form().action) return connection.refused(entry, reason);
  stuck = false;
  form().inert = false;
  sayWrong(reason);
  bringBackDraft();
  showAsked(form().querySelector(".questions"));
}

// An item comes onto the screen -------------------------------------------------------------------------------------
function begin(element) {
  article = element;
  clock?.stop();
  const before = Object.fromEntries(["active", "idle"].map((name) => [name, Number(form().elements[name].value) || 0]));
  clock = new Clock(before, showClock);
  if (outbox.entries.some((entry) => entry.url === form().action)) waitHere(); // voted before a crash or a reload
  else bringBackDraft();
  showAsked(form().querySelector(".questions"));
  const wider = article.querySelector("[data-does=class]");
  wider.hidden = !article.querySelector("[data-class]");
  article.addEventListener("input", noteDraft); // a comment of the thread is picked outside of the form
  form().addEventListener("submit", submit);
  next = outbox.flush().then(fetchNext);
}

function waitHere() {
  stuck = true;
  form().inert = true;
}

async function fetchNext() {
  if (Number(form().elements.revises.value)) return null;
  try {
    const response = await fetch(article.dataset.ahead, { redirect: "manual" });
    return response.status === 200 ? await response.text() : null;
  } catch {
    return null;
  }
}

async function showNext() {
  const html = await next;
  if (!html) {
    waitHere();
    await outbox.flush();
    return;
  }
  const page = new DOMParser().parseFromString(html, "text/html");
  const element = document.adoptNode(page.querySelector("#judging"));
  // Guideline and keys are those of a version of a protocol: another one wants its own page.
  if (element.dataset.version !== article.dataset.version) return location.assign(element.dataset.page);
  article.replaceWith(element);
  htmx.process(element);
  history.pushState(null, "", element.dataset.page);
  document.title = element.dataset.title;
  window.scrollTo(0, 0);
  document.getElementById("content").focus({ preventScroll: true });
  begin(element);
  performance.mark("next-item-shown");
}
window.addEventListener("popstate", () => location.reload());

function showClock(seconds) {
  const minutes = Math.floor(seconds / 60);
  article.querySelector("[data-clock]").textContent = `${minutes}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

// What is still to be answered ---------------------------------------------------------------------------------------
function missing() {
  for (const question of form().querySelectorAll("[data-question]:not(:disabled, [data-optional])")) {
    const fields = [...question.querySelectorAll("input, textarea")];
    const answered = fields.some((field) => (["radio", "checkbox"].includes(field.type) ? field.checked : field.value.trim()));
    if (!answered) return question;
  }
  return null;
}

// Drafts: in the browser at once, on the server a moment later -------------------------------------------------------
const draftKey = () => `concord.draft.${article.dataset.user}.${article.dataset.assignment}`;

function written() {
  const times = clock.read();
  for (const [name, value] of Object.entries(times)) form().elements[name].value = value;
  return new URLSearchParams(new FormData(form())).toString();
}

function noteDraft() {
  if (form().inert) return;
  localStorage.setItem(draftKey(), written());
  clearTimeout(saving);
  saving = setTimeout(saveDraft, 600);
}

async function saveDraft() {
  if (form().inert) return; // it is on its way as a vote
  underway = new AbortController();
  const [key, body, url] = [draftKey(), written(), article.dataset.draft];
  try {
    const response = await fetch(url, { method: "POST", body: new URLSearchParams(body), redirect: "manual", signal: underway.signal });
    if (response.ok && localStorage.getItem(key) === body) localStorage.removeItem(key);
  } catch {
    // it stays in the browser, and comes back with the page
  }
}

function bringBackDraft() {
  const kept = localStorage.getItem(draftKey());
  if (!kept) return;
  const values = new URLSearchParams(kept);
  for (const field of form().elements) {
    if (!field.name || field.type === "hidden") continue;
    if (["radio", "checkbox"].includes(field.type)) field.checked = values.getAll(field.name).includes(field.value);
    else if (values.has(field.name)) field.value = values.get(field.name);
  }
  saving = setTimeout(saveDraft, 600);
}
// The page shows that it lives, which keeps the item.
setInterval(() => { if (document.visibilityState === "visible") saveDraft(); }, 10 * 60 * 1000);

// Submitting ----------------------------------------------------------------------------------------------------------
function submit(event) {
  event.preventDefault();
  const unanswered = missing();
  if (unanswered) {
    sayWrong(`“${unanswered.querySelector("legend").firstChild.textContent.trim()}” needs an answer.`);
    unanswered.querySelector("input, textarea").focus();
    return;
  }
  const wrong = [...form().elements].find((field) => field.willValidate && !field.checkValidity());
  if (wrong) return wrong.reportValidity();
  performance.mark("submitted");
  clearTimeout(saving);
  underway?.abort(); // a draft must not come after its vote
  const title = document.title.replace(/ – Concord$/, "");
  outbox.add({ id: form().elements.submission.value, url: form().action, body: written(), draftKey: draftKey(), title });
  localStorage.removeItem(draftKey());
  form().inert = true;
  showNext();
}

function sayWrong(words) {
  const error = form().querySelector("[data-error]");
  error.hidden = false;
  error.textContent = words;
}

// Keys and buttons ----------------------------------------------------------------------------------------------------
const acts = {
  diff: (button) => {
    const split = article.querySelector("[data-diff]")?.classList.toggle("diff--split");
    button.setAttribute("aria-pressed", Boolean(split));
    button.blur(); // so that the next Enter submits
    document.cookie = `diff=${split ? "split" : "unified"}; path=/; max-age=31536000; samesite=lax`;
  },
  class: () => {
    const details = article.querySelector("[data-class]");
    if (!details) return;
    details.open = !details.open;
    details.scrollIntoView({ block: "nearest" });
  },
};

document.addEventListener("click", (event) => {
  const element = event.target.closest("[data-does], [data-opens]");
  if (!element) return;
  if (element.dataset.opens) {
    event.preventDefault();
    document.getElementById(element.dataset.opens).showModal();
  } else if (acts[element.dataset.does]) {
    event.preventDefault();
    acts[element.dataset.does](element);
  }
});

const isTyping = (element) => element.matches("textarea, select, input:not([type=radio], [type=checkbox])");

document.addEventListener("keydown", (event) => {
  const element = document.activeElement ?? document.body;
  if (isTyping(element)) return keyInField(event, element);
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.key === " " ? "Space" : event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (["Enter", "Space"].includes(key) && element.matches("a, button, summary")) return; // it acts on that one
  const target = [...article.querySelectorAll("[data-key]")].find((other) => other.dataset.key === key && isUsable(other));
  const open = document.querySelector("dialog[open]");
  if (!target || (open && target.dataset.opens !== open.id)) return;
  event.preventDefault();
  if (open) open.close();
  else press(target);
});

function keyInField(event, element) {
  if (event.key === "Escape" && article.contains(element)) element.blur();
  if (event.key !== "Enter" || !article.contains(element)) return;
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    form().requestSubmit();
  } else if (element.name === "flag") {
    event.preventDefault();
    element.blur();
  }
}

const isUsable = (element) => !element.closest("[inert]") && !element.disabled && !element.closest("fieldset:disabled") && element.getClientRects().length > 0;

function press(element) {
  if (isTyping(element)) {
    element.focus();
    return;
  }
  if (element.matches("input")) element.focus({ preventScroll: true });
  element.click();
  if (element.matches("summary")) element.parentElement.querySelector("input")?.focus();
}

begin(document.getElementById("judging"));
