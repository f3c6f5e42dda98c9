// The source with colours, breakpoints, and the current lines of both sides and of waiting frames. A click on a line number
// sets a breakpoint; selecting a line (click, or arrows and Enter) offers to force it. Colours come from ui/session/marks/syntax.py.

import { count, cut, el, fill, oneLine } from "./dom.js";
import { icon } from "./icons.js";
import { Windowed } from "./windowed.js";

const MAX_LINE_CHARS = 2000; // characters of a line that are shown
const ROW_HEIGHT = 20;

const split = new WeakMap();

/** The file of a program that a frame executes in: that of the innermost frame; the main one if it is not known. */
export function fileOf(program, left, right) {
  const name = [left, right].map((side) => side.stack.at(-1)).find(Boolean)?.file;
  return (name && program.files?.find((file) => file.name === name)) || program;
}

const ENDS = { js: /\r\n|[\r\n\u2028\u2029]/, ts: /\r\n|[\r\n\u2028\u2029]/, c: /\r*\n/, cpp: /\r*\n/, rust: /\r*\n/, go: /\r*\n/ };

/** The lines of a program, split once: [{line, spans}]. Each language ends its lines itself, as core/language.py says. */
export function linesOf(program) {
  if (!split.has(program)) {
    const lines = program.source.split(ENDS[program.language] ?? /\r\n|\r|\n/).map((line, at) => ({ line, spans: program.syntax?.[at] ?? [] }));
    if (lines.length > 1 && lines.at(-1).line === "") lines.pop();
    split.set(program, lines);
  }
  return split.get(program);
}

/**
 * The panel; calls `toggle(line)` for a click in the margin, `choose(line)` for a selected line, `choose(line, true)` for Enter.
 * `marginTitle` says what a click in the margin does, if it sets no breakpoint.
 */
export function sourcePanel({ choose, toggle, marginTitle = null }) {
  const title = el("span", { class: "soft code" });
  const note = el("p", { class: "note soft", hidden: true });
  const root = el("div", { class: "source code" });
  const element = el("section", { class: "panel source-panel", "aria-labelledby": "source-title" },
    el("header", {}, el("h2", { id: "source-title" }, "Source"), title), note, root);
  let lines = [];
  let marks = new Map();
  let breaks = new Set();
  let shown = null;
  const list = new Windowed({
    root, rowHeight: ROW_HEIGHT, chunk: 1000, count: 0, role: "listbox", rowRole: "option", label: "Lines of the program",
    load: (k) => lines.slice(k * 1000, (k + 1) * 1000),
    render: (row, text, at) => text !== null && renderLine(row, text, at + 1, { mark: marks.get(at + 1), stops: breaks.has(at + 1), marginTitle }),
    onActive: (at) => choose(at + 1),
    onOpen: (at) => choose(at + 1, true),
  });

  // In the capture phase: a click on the margin selects nothing.
  root.addEventListener("click", (event) => {
    const row = event.target.closest(".windowed-row");
    if (!row || !event.target.closest(".margin")) return;
    event.stopPropagation();
    toggle(row.index + 1);
  }, { capture: true });

  function render({ program, file, left, right, sides, breakpoints, next = null }) {
    breaks = breakpoints;
    if (file.source !== shown) {
      shown = file.source;
      lines = linesOf(file);
      list.reset({ count: lines.length, top: true });
    }
    const path = file === program ? null : file.name;
    const what = program.files ? [file.name] : [program.call, ...(program.argv ?? [])];
    title.title = oneLine(cut(what.filter(Boolean).join(" "), 500));
    fill(title, title.title);
    marks = marksOf(left, right, sides, path);
    if (next && (next.path ?? null) === path) marks.set(next.line, { chips: [], ...marks.get(next.line), next: true });
    list.refresh();
    const here = [left, right].map((side) => side.stack.at(-1)).find((frame) => frame && (frame.file ?? null) === path && frame.line);
    if (here && here.line <= lines.length) list.scrollTo(here.line - 1, inSight(root, here.line) ? "nearest" : "center");
    const away = [left, right].map((side) => side.cell?.file).find((name) => name && name !== path);
    fill(note, away ? `This step runs in ${oneLine(cut(away, 200))}, which is not shown.` : "").hidden = !away;
  }

  return { element, render, dispose: () => list.dispose(), chosen: () => (list.active >= 0 ? list.active + 1 : null) };
}

function inSight(root, line) {
  const top = (line - 1) * ROW_HEIGHT;
  return top >= root.scrollTop && top + ROW_HEIGHT <= root.scrollTop + root.clientHeight;
}

// line -> {left, right, waits, chips}
function marksOf(left, right, sides, path) {
  const marks = new Map();
  const at = (line) => marks.get(line) ?? marks.set(line, { chips: [] }).get(line);
  for (const [name, side] of [["left", left], ["right", right]]) {
    side.stack.forEach((frame, level) => {
      if (!frame.line || (frame.file ?? null) !== path) return;
      if (level < side.stack.length - 1) at(frame.line).waits = true;
      else at(frame.line)[name] = true;
    });
  }
  for (const mark of marks.values()) {
    if (mark.left && !mark.right) mark.chips.push(["left", sides.left]);
    if (mark.right && !mark.left) mark.chips.push(["right", sides.right]);
  }
  return marks;
}

function renderLine(row, { line, spans }, number, { mark = { chips: [] }, stops, marginTitle }) {
  row.classList.toggle("stops", stops);
  row.classList.toggle("here", Boolean(mark.left || mark.right));
  row.classList.toggle("parted", Boolean(mark.right && !mark.left));
  row.classList.toggle("waits", Boolean(mark.waits && !mark.left && !mark.right));
  row.classList.toggle("coming", Boolean(mark.next));
  if (mark.left || mark.right) row.setAttribute("aria-current", "step");
  else row.removeAttribute("aria-current");
  const sign = mark.left || mark.right ? icon("run") : mark.next ? icon("next") : mark.waits ? icon("waits") : null;
  fill(row,
    el("span", { class: "margin", title: marginTitle ?? (stops ? "Remove the breakpoint (B)" : "Set a breakpoint (B)") },
      el("span", { class: "dot", "aria-hidden": "true" }, icon("dot")), stops ? el("span", { class: "unseen" }, "breakpoint ") : null,
      el("span", { class: "sign", "aria-hidden": "true" }, sign), mark.next ? el("span", { class: "unseen" }, "next ") : null, el("span", { class: "line-number" }, number)),
    el("span", { class: "text" }, coloured(line, spans)),
    mark.chips.map(([side, name]) => el("span", { class: `who ${side}` }, name)));
}

// The pieces of a line: [start, end, kind] count characters, as Python does.
function coloured(line, spans) {
  const more = line.length - MAX_LINE_CHARS;
  const text = more > 0 ? line.slice(0, MAX_LINE_CHARS) : line;
  const chars = /[\ud800-\udfff]/.test(text) ? [...text] : text;
  const part = (start, end) => oneLine((typeof chars === "string" ? chars.slice(start, end) : chars.slice(start, end).join("")).replace(/\t/g, "    "));
  const parts = [];
  let at = 0;
  for (const [start, end, kind] of spans) {
    if (start >= chars.length) break;
    parts.push(part(at, start), el("span", { class: `token-${kind}` }, part(start, end)));
    at = end;
  }
  parts.push(part(at), more > 0 ? ` …<${count(more)} more>` : null);
  return parts;
}
