// The judging page with its comforts: keys, conditions, drafts, and the next item at once. All of it also works by plain
// forms and links.
"use strict";

const state = document.getElementById("connection");
let article; // the item on the screen
let clock;
let next; // a promise of the HTML of the item after it, or of null
let saving; // the timer of the next draft
let underway; // the draft that is being sent
let stuck = false; // the vote is given and there is no connection to get another item

const form = () => article.querySelector("[data-answers]");
const outbox = new Outbox(document.querySelector("#judging").dataset.user, {
  token: () => form().elements.csrfmiddlewaretoken.value,
  onState: showState,
  onRefused: (entry, reason) => {
    state.replaceChildren(`Your vote on “${entry.title}” was not taken: ${reason} `, link(entry.url, "Open it"));
  },
});

function link(url, words) {
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.textContent = words;
  return anchor;
}

function showState(outcome, count) {
  if (outcome === "sent") {
    if (state.dataset.waiting) state.textContent = "";
    delete state.dataset.waiting;
    if (stuck) location.assign(article.dataset.judge);
    return;
  }
  state.dataset.waiting = "yes";
  const votes = count === 1 ? "1 vote waits" : `${count} votes wait`;
  if (outcome === "logged out") state.replaceChildren(`${votes} in this browser. `, link(location.href, "Log in again to send."));
  else state.textContent = `No connection. ${votes} in this browser and will be sent when it is back.`;
}

// An item comes onto the screen -------------------------------------------------------------------------------------
function begin(element) {
  article = element;
  clock?.stop();
  const before = Object.fromEntries(["active", "idle"].map((name) => [name, Number(form().elements[name].value) || 0]));
  clock = new Clock(before, showClock);
  bringBackDraft();
  showAsked(form().querySelector(".questions"));
  const wider = article.querySelector("[data-does=class]");
  wider.hidden = !article.querySelector("[data-class]");
  form().addEventListener("input", noteDraft);
  form().addEventListener("submit", submit);
  next = outbox.flush().then(fetchNext);
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
    stuck = true;
    await outbox.flush();
    return;
  }
  const page = new DOMParser().parseFromString(html, "text/html");
  const element = document.adoptNode(page.querySelector("#judging"));
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
  localStorage.setItem(draftKey(), written());
  clearTimeout(saving);
  saving = setTimeout(saveDraft, 600);
}

async function saveDraft() {
  if (form().querySelector("[data-does=submit]").disabled) return; // it is on its way as a vote
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
setInterval(() => { if (document.visibilityState === "visible") saveDraft(); }, 10 * 60 * 1000); // keeps the lease

// Submitting ----------------------------------------------------------------------------------------------------------
function submit(event) {
  event.preventDefault();
  const unanswered = missing();
  const error = form().querySelector("[data-error]");
  error.hidden = !unanswered;
  if (unanswered) {
    error.textContent = `“${unanswered.querySelector("legend").firstChild.textContent.trim()}” needs an answer.`;
    unanswered.querySelector("input, textarea").focus();
    return;
  }
  performance.mark("submitted");
  clearTimeout(saving);
  underway?.abort(); // a draft must not come after its vote
  outbox.add({ id: form().elements.submission.value, url: form().action, body: written(), title: document.title });
  localStorage.removeItem(draftKey());
  form().querySelector("[data-does=submit]").disabled = true;
  showNext();
}

// Keys and buttons ----------------------------------------------------------------------------------------------------
const acts = {
  diff: () => {
    const split = article.querySelector("[data-diff]")?.classList.toggle("diff--split");
    document.cookie = `diff=${split ? "split" : "unified"}; path=/; max-age=31536000; samesite=lax`;
  },
  class: () => {
    const details = article.querySelector("[data-class]");
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
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const key = event.key === " " ? "Space" : event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (["Enter", "Space"].includes(key) && element.matches("a, button, summary")) return; // it acts on that one
  const target = [...article.querySelectorAll("[data-key]")].find((other) => other.dataset.key === key && isUsable(other));
  if (!target) return;
  event.preventDefault();
  press(target);
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

const isUsable = (element) => !element.disabled && !element.closest("fieldset:disabled") && element.getClientRects().length > 0;

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
