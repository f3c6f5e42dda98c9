// Why a recorded test failed: the exception, the values it compared, and the steps that wrote them. A click goes to the step.

import { count, cut, el, fill, oneLine } from "./dom.js";

const MAX_VALUE = 160; // characters of a value

/** The panel; `jump(row)` goes to a step. */
export function failurePanel({ jump }) {
  const body = el("div", { class: "body story failure" });
  const element = el("section", { class: "panel story-panel", "aria-labelledby": "story-title" }, el("header", {}, el("h2", { id: "story-title" }, "Why it failed")), body);
  let shown = null;

  function render({ session, row }) {
    if (shown !== session.failure) {
      shown = session.failure;
      fill(body, head(shown, jump), shown.values.map((value) => history(value, jump)), calls(shown.calls, jump), notes(shown.notes));
    }
    for (const button of body.querySelectorAll("button.place")) {
      if (Number(button.dataset.step) === row) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    }
  }

  return { element, render };
}

function short(text, size = MAX_VALUE) {
  return oneLine(cut(String(text ?? ""), size));
}

function place({ step, file, line }, jump) {
  return el("button", { type: "button", class: "quiet place", data: { step }, title: `Go to step ${count(step)}`, on: { click: () => jump(step) } }, `${file}:${line}`);
}

function head(failure, jump) {
  const facts = [];
  if (failure.raised) facts.push(el("dt", {}, "raised"), el("dd", {}, place(failure.raised, jump)));
  if (failure.test_line && failure.test_line.step !== failure.raised?.step) facts.push(el("dt", {}, "test line"), el("dd", {}, place(failure.test_line, jump)));
  if (failure.path) facts.push(el("dt", {}, "differ at"), el("dd", { class: "code text" }, short(failure.path)));
  if (failure.writer) facts.push(el("dt", {}, "written by"), el("dd", {}, place(failure.writer.place, jump)));
  return [
    el("p", {}, el("strong", { class: "verdict wrong" }, failure.outcome)),
    failure.exception ? el("p", { class: "code text evidence", tabIndex: failure.exception.length > 300 ? 0 : null }, short(failure.exception, 600)) : null,
    failure.statement ? el("p", { class: "code text" }, short(failure.statement, 300)) : null,
    el("dl", { class: "facts" }, facts),
  ];
}

function history(value, jump) {
  const worth = value.is_literal ? "written in the test" : value.value === null ? "not known" : short(value.value);
  const isWriter = (link) => value.writer && link.place.step === value.writer.place.step && link.name === value.writer.name && link.kind === value.writer.kind;
  return el("div", { class: "history" },
    el("h3", { class: "code text" }, short(value.text), el("span", { class: "soft" }, ` is ${worth}`)),
    value.links.length ? el("ol", { class: "links" }, value.links.map((link) => el("li", { class: isWriter(link) ? "writer" : null },
      place(link.place, jump), " ", el("code", {}, short(link.words, 400)), el("div", { class: "code text soft" }, short(link.place.source))))) : null,
    notes(value.notes));
}

function calls(open, jump) {
  if (!open.length) return null;
  const named = (call) => `${call.place.function}(${call.arguments.map(([name, text]) => `${name}=${short(text, 40)}`).join(", ")})`;
  return el("div", {}, el("h3", {}, "call chain"), el("ol", { class: "links" }, open.map((call) => el("li", {}, place(call.place, jump), " ", el("code", {}, named(call))))));
}

function notes(texts) {
  return texts.map((text) => el("p", { class: "soft" }, short(text, 400)));
}
