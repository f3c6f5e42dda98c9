// The frames before a question, or after its answer: the innermost first, with their names and values. What the answer changed is marked.

import { cut, el, fill, oneLine, plural } from "./dom.js";
import { icon } from "./icons.js";
import { noted } from "./value.js";

const SHOWN = 8; // frames

/** The panel; `render({frames, output, natives, before})` shows a state, `before` being the frames that it is compared with. */
export function quizState() {
  const body = el("div", { class: "frames", tabIndex: 0, role: "group", "aria-label": "Frames" });
  const depth = el("span", { class: "soft" });
  const printed = el("pre", { class: "code" });
  const output = el("div", { class: "quiz-output" }, el("h3", {}, "Printed so far"), printed);
  const element = el("section", { class: "panel quiz-state", "aria-labelledby": "quiz-state-title" },
    el("header", {}, el("h2", { id: "quiz-state-title" }, "State"), depth), body, output);

  function render({ frames, output: text, natives, before = null }) {
    fill(depth, plural(frames.length, "frame"));
    const shown = frames.slice(-SHOWN).reverse();
    fill(body, shown.map((frame, at) => frameTable(frame, at === 0, natives, before?.find((earlier) => earlier.frame === frame.frame) ?? null, before !== null)),
      frames.length > SHOWN ? el("p", { class: "soft pad" }, `${plural(frames.length - SHOWN, "more frame")} around these`) : null);
    fill(printed, text);
    output.hidden = !text;
  }

  return { element, render };
}

function frameTable({ function: name, line, names, shares }, isInnermost, natives, before, isAfter) {
  const earlier = new Map(before?.names ?? []);
  return el("div", { class: `frame${isInnermost ? " innermost" : ""}` },
    el("h3", { class: "frame-head" }, el("span", { class: "code function" }, oneLine(cut(name, 200))), line === null ? null : el("span", { class: "soft" }, `line ${line}`)),
    names.length ? el("table", { class: "names" }, el("tbody", {}, names.map(([variable, text]) => row(variable, text, isAfter && earlier.get(variable) !== text, shares, natives))))
      : el("p", { class: "soft pad" }, "No names."));
}

function row(variable, text, isChanged, shares, natives) {
  const group = shares.findIndex((names) => names.includes(variable));
  const words = group < 0 ? "" : `same object: ${shares[group].map((name) => oneLine(cut(name, 40))).join(", ")}`;
  return el("tr", { data: { name: variable } },
    el("th", { scope: "row", class: "code" }, oneLine(cut(variable, 200))),
    el("td", { class: `value${isChanged ? " changed" : ""}` }, el("div", { class: "inside" }, el("div", { class: "code text" }, noted([[text, false]], natives, null)),
      group < 0 && !isChanged ? null : el("span", { class: "notes" },
        group < 0 ? null : el("span", { class: "alias", title: words, role: "note", "aria-label": words }, icon("alias"), String(group + 1)),
        isChanged ? el("span", { class: "tag" }, "changed") : null))));
}
