// Small comforts for every page; all of them work without this file, only less pleasantly.
"use strict";

// A menu closes when one clicks elsewhere or presses Escape.
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

// Copies what the button names with data-copy, and says so in the button.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(document.querySelector(button.dataset.copy).textContent.trim());
  button.textContent = "Copied";
});
for (const button of document.querySelectorAll("[data-copy]")) button.hidden = !navigator.clipboard;

// A file can be dropped anywhere on a form that takes one.
for (const form of document.querySelectorAll("[data-drop]")) {
  const input = form.querySelector("input[type=file]");
  for (const name of ["dragover", "dragleave", "drop"]) {
    form.addEventListener(name, (event) => {
      event.preventDefault();
      form.classList.toggle("drop--over", name === "dragover");
      if (name === "drop") input.files = event.dataTransfer.files;
    });
  }
}

// What is typed into a form with data-keep stays in this tab while other forms of the page are sent, until it is sent.
const place = (form) => `keep:${location.pathname}:${form.dataset.keep}`;
const typed = (form) => [...form.elements].filter((field) => field.matches("textarea, input:not([type=hidden], [type=checkbox])"));
const bringBack = () => {
  for (const form of document.querySelectorAll("form[data-keep]")) {
    const kept = JSON.parse(sessionStorage.getItem(place(form)) ?? "{}");
    for (const field of typed(form)) {
      if (field.name in kept && field.value === field.defaultValue) field.value = kept[field.name];
    }
  }
};
document.addEventListener("input", (event) => {
  const form = event.target.form;
  if (!form?.dataset.keep) return;
  const words = typed(form).map((field) => [field.name, field.value]);
  sessionStorage.setItem(place(form), JSON.stringify(Object.fromEntries(words)));
});
document.addEventListener("submit", (event) => {
  if (event.target.dataset.keep) sessionStorage.removeItem(place(event.target));
});
document.addEventListener("htmx:afterSettle", bringBack);
bringBack();

// On a narrow screen the tab one is on may lie outside the strip.
document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });

// What renews itself waits while somebody is at work in it: the focus is inside, or a menu is open.
document.addEventListener("htmx:beforeRequest", (event) => {
  const part = event.target;
  if (!part.matches("[data-live]")) return;
  if (part.contains(document.activeElement) || part.querySelector("details[open]")) event.preventDefault();
});
