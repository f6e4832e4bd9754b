// One key for what a page offers: [data-key] is pressed or focused, [data-row] is walked with j and k, [data-opens] opens
// a dialog. All of it is also there as links, buttons and fields.
"use strict";

const isField = (element) => element.matches("textarea, select, input:not([type=radio], [type=checkbox])");
const isThere = (element) => !element.disabled && !element.closest("[inert]") && element.getClientRects().length > 0;

for (const button of document.querySelectorAll("button[data-opens]")) button.hidden = false;

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  if (!opener) return;
  event.preventDefault();
  document.getElementById(opener.dataset.opens).showModal();
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-does=diff]");
  const diff = document.querySelector("[data-diff]");
  if (!button || !diff) return;
  event.preventDefault();
  const split = diff.classList.toggle("diff--split");
  button.setAttribute("aria-pressed", String(split));
  document.cookie = `diff=${split ? "split" : "unified"}; path=/; max-age=31536000; samesite=lax`;
});

document.addEventListener("keydown", (event) => {
  const here = document.activeElement ?? document.body;
  if (isField(here)) return keyInForm(event, here);
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.key.toLowerCase();
  const open = document.querySelector("dialog[open]");
  const target = [...document.querySelectorAll("[data-key]")].find((other) => other.dataset.key === key && isThere(other));
  if (open) {
    if (target?.dataset.opens === open.id) open.close();
    return;
  }
  if (target) {
    event.preventDefault();
    if (isField(target)) target.focus();
    else target.click();
  } else if (key === "j" || key === "k") walk(key === "j" ? 1 : -1, event);
});

function keyInForm(event, field) {
  if (event.key === "Escape") field.blur();
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    field.form?.requestSubmit();
  }
}

function walk(step, event) {
  const rows = [...document.querySelectorAll("[data-row]")];
  if (!rows.length) return;
  event.preventDefault();
  const at = rows.indexOf(document.activeElement);
  const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(Math.max(at + step, 0), rows.length - 1);
  rows[next].focus();
}
