// Shows a question that hangs on another one only while it is to be asked. Without this file all are shown.
"use strict";

function isAsked(question, answers) {
  if (!question.dataset.whenQuestion) return true;
  const given = answers.get(question.dataset.whenQuestion) ?? [];
  return question.dataset.whenAnswers.split(" ").some((answer) => given.includes(answer));
}

// In the order of the page: a question that is not asked has no answer, so what hangs on it is not asked either.
function showAsked(questions) {
  const answers = new Map();
  for (const question of questions.querySelectorAll("[data-question]")) {
    const asked = isAsked(question, answers);
    question.hidden = question.disabled = !asked;
    const chosen = asked ? [...question.querySelectorAll("input:checked")] : [];
    answers.set(question.dataset.question, chosen.map((input) => input.value));
  }
  questions.classList.add("questions--live");
}

function showAllAsked() {
  document.querySelectorAll(".questions").forEach(showAsked);
}

document.addEventListener("change", (event) => {
  const questions = event.target.closest(".questions");
  if (questions) showAsked(questions);
});
document.addEventListener("htmx:afterSettle", showAllAsked);
showAllAsked();
