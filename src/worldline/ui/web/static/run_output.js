// What the program has printed and read so far, in order. What happened at this step is marked. Standard error has no place in the
// order of steps: it is shown as a whole.

import { el, fill, visible } from "./dom.js";

/** The panel. */
export function runOutput() {
  const box = el("pre", { class: "console", tabIndex: 0, "aria-label": "Output and input up to this step" });
  const silence = el("span", { class: "soft" }, "nothing printed yet");
  const errors = el("div", { class: "stderr", hidden: true });
  const element = el("section", { class: "panel run-output", "aria-labelledby": "run-output-title" },
    el("header", {}, el("h2", { id: "run-output-title" }, "Output"), silence), box, errors);
  let shownErrors = null;

  /** Shows a step: {overview, row}. */
  function render({ overview, row }) {
    const past = overview.printed.filter(([at]) => at <= row);
    fill(box, past.map(([at, event, text]) => el("span", { class: `${event}${at === row ? " now" : ""}`, title: event === "input" ? "read from standard input" : null },
      event === "input" ? el("span", { class: "unseen" }, "input: ") : null, visible(text), event === "input" && !text.endsWith("\n") ? "\n" : null)));
    box.hidden = !past.length;
    silence.hidden = Boolean(past.length);
    box.scrollTop = box.scrollHeight;
    if (shownErrors !== overview.stderr) {
      shownErrors = overview.stderr;
      errors.hidden = !shownErrors;
      fill(errors, el("h3", {}, "Standard error, of the whole run"), el("pre", { tabIndex: 0 }, visible(shownErrors)));
    }
  }

  return { element, render };
}
