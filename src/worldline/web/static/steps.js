// The list of all steps, of any length: number, verdicts, event, line and changes of both sides, confidence, bytes. Only the rows
// in sight exist (windowed.js). The row in hand is the view's; a click or the arrows choose another.

import { around, difference } from "./difference.js";
import { count, cut, el, fill, percent } from "./dom.js";
import { SIGNS, told, word } from "./now.js";
import { CHUNK } from "./rows.js";
import { marked } from "./value.js";
import { Windowed } from "./windowed.js";

const HIGH = 26;
const VALUE = 80; // characters of one
const COLUMNS = ["step", "action", "state", "left", "right", "sure", "bytes"];

/** The panel; `seek(row)` is called with a chosen row. */
export function stepsPanel({ seek, failed }) {
  const root = el("div", { class: "steps" });
  const head = el("div", { class: "step-row step-head", role: "row" }, COLUMNS.map((name) => el("span", { role: "columnheader", class: name }, name)));
  const total = el("span", { class: "soft" });
  const element = el("section", { class: "panel steps-panel", "aria-labelledby": "steps-title" },
    el("header", {}, el("h2", { id: "steps-title" }, "Steps"), total), root);
  let rows = null;
  let high = 0;
  const list = new Windowed({
    root, head, headRows: 1, rowHeight: HIGH, chunk: CHUNK, count: 0, label: "Steps of both sides",
    load: (k) => rows.kept.get(k)?.rows ?? rows.chunk(k).then((chunk) => chunk.rows),
    render: renderRow, onActive: (row) => seek(row), onOpen: (row) => seek(row), onError: failed,
  });

  function render({ rows: now, count: many, row, sides }) {
    if (now !== rows) {
      rows = now;
      list.reset({ count: many });
    }
    head.querySelector(".left").textContent = sides.left;
    head.querySelector(".right").textContent = sides.right;
    fill(total, count(many));
    if (list.active === row && high === root.clientHeight) return; // who has scrolled away is left there
    high = root.clientHeight;
    list.setActive(row, { scroll: near(list, row) ? "nearest" : "center" });
  }

  return { element, render, dispose: () => list.dispose() };
}

function near(list, row) {
  return Math.abs(row - list.active) < 30;
}

function renderRow(element, row, index) {
  element.classList.add("step-row");
  if (!row) return void fill(element, el("span", { role: "gridcell", class: "step soft" }, count(index)), el("span", { role: "gridcell", class: "soft" }, "…"));
  const mark = (kind, of) => el("span", { role: "gridcell", class: `sign ${kind}`, title: `${of} ${word(kind)}`, "aria-label": `${of} ${word(kind)}` }, SIGNS[kind]);
  const cell = row.right ?? row.left;
  fill(element,
    el("span", { role: "gridcell", class: "step number" }, count(row.row)),
    mark(row.action, "action"), mark(row.state, "state"),
    side(row.left, "left", row), side(row.right, "right", row),
    el("span", { role: "gridcell", class: "sure number" }, percent(row.right?.sure ?? null)),
    el("span", { role: "gridcell", class: "bytes number" }, cell?.bytes === null || cell?.bytes === undefined ? "" : count(cell.bytes)));
}

function side(cell, name, row) {
  if (!cell) return el("span", { role: "gridcell", class: `${name} soft` }, "–");
  const beside = row[name === "left" ? "right" : "left"];
  const there = new Map((beside?.changes ?? []).map(([, key, text]) => [key, text]));
  const changes = cell.changes.map(([, key, text]) => (text === null ? [[`-${cut(key, 40)}`, false]] : [[`${cut(key, 40)} = `, false], ...short(text, there.get(key))]));
  if (cell.arg !== null && cell.arg !== undefined) changes.unshift(short(cell.arg, beside?.arg));
  const texts = changes.flatMap((pieces, at) => (at ? [["  ", false], ...pieces] : pieces));
  const indent = el("span", { class: "indent" });
  indent.style.width = `${Math.min(6, Math.max(0, row.depth - 1)) * 6}px`;
  return el("span", { role: "gridcell", class: name }, indent, el("span", { class: "event" }, told(cell)), " ", el("code", {}, marked(texts)));
}

// A value in a few characters: those around where it parts from the other side's.
function short(text, other) {
  if (text.length <= VALUE || typeof other !== "string" || other === text) return [[cut(text, VALUE), false]];
  return around(difference(text, other)[0], VALUE).map(([piece]) => [piece, false]);
}
