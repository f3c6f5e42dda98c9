// Search for a value, a name or printed text, and the list of changes of a selected name or object. Both are lists of steps.

import { count, cut, el, fill, oneLine, plural } from "./dom.js";
import { icon } from "./icons.js";

const MAX_LISTED = 300;
const MAX_CHARS = 120;

/** The search field; `find(words)` is called while typing, `move(step)` for the next (1) or previous (-1) hit. */
export function searchField({ find, move }) {
  const field = el("input", { type: "search", id: "run-search", placeholder: "Search values, names, output", autocomplete: "off", spellcheck: false, "aria-label": "Search values, names and output", "aria-describedby": "run-hits" });
  const hits = el("span", { class: "soft number", id: "run-hits", role: "status" });
  const button = (step, sign, label, key) => el("button", { type: "button", class: "quiet", title: `${label} (${key})`, "aria-label": label, on: { click: () => move(step) } }, sign);
  const [back, ahead] = [button(-1, icon("up"), "previous hit", "N"), button(1, icon("open"), "next hit", "n")];
  field.addEventListener("input", () => find(field.value));
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    move(event.shiftKey ? -1 : 1);
  });
  const element = el("div", { class: "run-search", role: "search" }, field, back, ahead, hits);

  /** Shows how many hits there are, and which one is at the current step. */
  function render({ words, hits: rows, row }) {
    const before = rows.filter((at) => at <= row).length;
    const isHit = rows.includes(row);
    fill(hits, !words.trim() ? "" : !rows.length ? "not found" : isHit ? `${count(before)} of ${count(rows.length)}` : plural(rows.length, "step"));
    back.disabled = ahead.disabled = !rows.length;
  }

  return { element, render, focus: () => field.select() };
}

/** The panel with the changes of what is selected; `jump(row)` goes to a change, `close()` ends the selection. */
export function changesPanel({ jump, close }) {
  const title = el("h2", { id: "changes-title" });
  const list = el("ol", { class: "changes" });
  const element = el("section", { class: "panel changes-panel", hidden: true, "aria-labelledby": "changes-title" },
    el("header", {}, title, el("button", { type: "button", class: "quiet", "aria-label": "Close the list of changes", title: "Close (Esc)", on: { click: close } }, icon("close"))), list);

  /** Shows the changes: {heading, entries: [{row, line, what}], row}; without a heading the panel is closed. */
  function render({ heading, entries, row }) {
    element.hidden = !heading;
    if (!heading) return;
    fill(title, `${heading}: ${plural(entries.length, "change")}`);
    fill(list, entries.slice(0, MAX_LISTED).map((entry) => el("li", {}, el("button", {
      type: "button", class: "quiet change", data: { row: entry.row }, "aria-current": entry.row === row ? "step" : null, on: { click: () => jump(entry.row) },
    }, el("span", { class: "number" }, `step ${count(entry.row)}`), el("span", { class: "soft" }, `line ${entry.line}`), el("span", { class: "code" }, oneLine(cut(entry.what, MAX_CHARS)))))),
    entries.length > MAX_LISTED ? el("li", { class: "soft" }, `and ${count(entries.length - MAX_LISTED)} more`) : null);
  }

  return { element, render };
}
