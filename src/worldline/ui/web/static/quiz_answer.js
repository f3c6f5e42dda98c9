// The form of a question, and what is told once it is answered: the verdict, the truth beside the answer, why it is so, and the model.

import { difference } from "./difference.js";
import { cut, el, fill, oneLine } from "./dom.js";
import { SIGNS } from "./now.js";
import { wrapped } from "./value.js";

const LABELS = { value: "Value", line: "Line number", output: "Printed text", return: "Returned value", yield: "Yielded value" };
const HINTS = { line: "Type the number of the line, or click the line in the source.", output: "Type the text without quotes. Enter answers, Shift+Enter starts a new line." };
const WORDS = { right: "Right", wrong: "Wrong", revealed: "Revealed" };
const SIGN_OF = { right: "right", wrong: "wrong", revealed: "open" };

/** Text with code between backticks. */
export function prose(text) {
  return text.split("`").map((part, at) => (at % 2 ? el("code", {}, oneLine(cut(part, 300))) : part));
}

/** The panel; `answer(text)` is called with an answer, or null to reveal, `next()` goes on. */
export function answerPanel({ answer, next }) {
  const title = el("h2", { id: "question-title", class: "question-text", tabIndex: -1 });
  const hint = el("p", { class: "soft hint", id: "answer-hint" });
  const problem = el("p", { class: "problem-note", id: "answer-problem", role: "alert" });
  const label = el("label", { for: "answer" });
  const field = el("textarea", { id: "answer", rows: 1, autocomplete: "off", autocapitalize: "off", spellcheck: false, "aria-describedby": "answer-hint answer-problem", on: { keydown: pressed, input: fit } });
  const send = el("button", { type: "submit", class: "main" }, "Answer");
  const reveal = el("button", { type: "button", class: "reveal", title: "Show the truth; counts as not right (r)", on: { click: () => answer(null) } }, "Reveal");
  const form = el("form", { class: "answer-form", on: { submit: (event) => { event.preventDefault(); answer(field.value); } } },
    label, field, hint, problem, el("div", { class: "answer-buttons" }, send, reveal));
  const result = el("div", { class: "result", role: "status" });
  const onward = el("button", { type: "button", class: "main next", title: "Next (n)", on: { click: next } });
  const element = el("section", { class: "panel question-panel", "aria-labelledby": "question-title" }, el("div", { class: "body" }, title, form, result, onward));

  function pressed(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    answer(field.value);
  }

  function fit() {
    field.rows = Math.min(8, field.value.split("\n").length);
  }

  /** Shows a question and, if it is answered, its result; `isLast` names the way on. */
  function render({ question, quiz, judged, isLast }) {
    fill(title, prose(question.text));
    fill(label, LABELS[question.kind]);
    fill(hint, HINTS[question.kind] ?? [`In ${quiz.language}: `, el("code", {}, quiz.help)]);
    fill(problem);
    field.value = judged?.answer ?? "";
    field.inputMode = question.kind === "line" ? "numeric" : "text";
    fit();
    form.classList.toggle("answered", Boolean(judged));
    for (const control of [field, send, reveal]) control.disabled = Boolean(judged);
    fill(result, judged ? told(judged, question) : null);
    fill(onward, isLast ? "See the score" : "Next question").hidden = !judged;
  }

  /** Says why an answer cannot be judged; it may be typed again. */
  function complain(note) {
    fill(problem, note);
    field.focus();
  }

  return { element, render, complain, focus: () => field.focus(), ask: () => title.focus(), onward: () => onward.focus(), type: (text) => { if (!field.disabled) field.value = text; } };
}

function told({ status, note, answer, truth, because, model }, { kind }) {
  const [actual, typed] = answer && status === "wrong" && kind !== "line" ? difference(truth, answer) : [[[truth, false]], [[answer ?? "", false]]];
  const line = (name, pieces, sign) => [el("dt", {}, name), el("dd", { class: "code text" }, kind === "output" ? el("pre", {}, pieces.map(([text, differs]) => (differs ? el("mark", {}, text) : text))) : wrapped(pieces), sign)];
  return [
    el("p", { class: `verdict ${SIGN_OF[status]}` }, el("span", { "aria-hidden": "true" }, SIGNS[SIGN_OF[status]]), ` ${WORDS[status]}`),
    note ? el("p", {}, note) : null,
    el("dl", { class: "facts" }, line("truth", actual), status === "revealed" ? null : line("you", typed), model ? line(oneLine(cut(model.name, 40)), ...modelAnswer(model)) : null),
    because.map((text) => el("p", { class: "because" }, prose(text))),
  ];
}

function modelAnswer({ status, answer }) {
  if (answer === undefined) return [[], el("span", { class: "soft" }, status === "predicting" ? "is still predicting …" : "not predicted")];
  return [[[answer, false]], el("span", { class: `verdict ${status}` }, ` ${SIGNS[status]} ${status}`)];
}
