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

// On a narrow screen the tab one is on may lie outside the strip.
document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });

// What renews itself waits while somebody is at work in it: the focus is inside, or a menu is open.
document.addEventListener("htmx:beforeRequest", (event) => {
  const part = event.target;
  if (!part.matches("[data-live]")) return;
  if (part.contains(document.activeElement) || part.querySelector("details[open]")) event.preventDefault();
});
