// The list of all steps: number, verdicts, event, line and changes of both sides, confidence, bytes. Only visible rows exist
// (windowed.js). A click or the arrows select a row.

import { around, difference } from "./difference.js";
import { count, cut, el, fill, oneLine, percent } from "./dom.js";
import { SIGNS, cellText, word } from "./now.js";
import { CHUNK } from "./rows.js";
import { marked } from "./value.js";
import { Windowed } from "./windowed.js";

const HIGH = 26;
const VALUE = 80; // characters of one
const OTHERS = 256; // pixels of the other columns, the gaps and the scroll bar: sample.css has them
const LEAST = 11; // characters for a value that differs
const CONFIDENCE = 78; // pixels of the column of confidence
const CHARACTER = 7.3; // pixels of one, at most
const GAPS = new Set(["… ", " …"]);
const COLUMNS = ["step", "action", "state", "left", "right", "confidence", "bytes"];

/** The panel; calls `seek(row)` for a selected row. */
export function stepsPanel({ seek, failed }) {
  const root = el("div", { class: "steps" });
  const head = el("div", { class: "step-row step-head", role: "row" }, COLUMNS.map((name) => el("span", { role: "columnheader", class: name }, name)));
  const total = el("span", { class: "soft" });
  const element = el("section", { class: "panel steps-panel", "aria-labelledby": "steps-title" },
    el("header", {}, el("h2", { id: "steps-title" }, "Steps"), total), root);
  let rows = null;
  let high = 0;
  let wide = VALUE;
  const list = new Windowed({
    root, head, headRows: 1, rowHeight: HIGH, chunk: CHUNK, count: 0, label: "Steps of both sides",
    load: (k) => rows.chunks.get(k)?.rows ?? rows.chunk(k).then((chunk) => chunk.rows),
    render: (element, row, index) => renderRow(element, row, index, wide), onActive: (row) => seek(row), onOpen: (row) => seek(row), onError: failed,
  });

  function render({ rows: now, count: many, row, sides, timeline }) {
    const isUnknown = timeline.bins.every((bin) => bin[2] === null);
    root.classList.toggle("no-confidence", isUnknown);
    const fits = room(root.clientWidth - (isUnknown ? 0 : CONFIDENCE));
    const is = fits === wide;
    wide = fits;
    if (now !== rows) {
      rows = now;
      list.reset({ count: many });
    } else if (!is) list.refresh();
    head.querySelector(".left").textContent = sides.left;
    head.querySelector(".right").textContent = sides.right;
    fill(total, count(many));
    if (list.active === row && high === root.clientHeight) return; // keep the user's scroll position
    high = root.clientHeight;
    list.setActive(row, { scroll: near(list, row) ? "nearest" : "center" });
  }

  return { element, render, dispose: () => list.dispose() };
}

function near(list, row) {
  return list.active >= 0 && Math.abs(row - list.active) < 30;
}

// The characters that fit into one side of a panel.
function room(pixels) {
  return Math.max(14, Math.floor((pixels - OTHERS) / 2 / CHARACTER));
}

function renderRow(element, row, index, wide) {
  element.classList.add("step-row");
  if (!row) return void fill(element, el("span", { role: "gridcell", class: "step soft" }, count(index)), el("span", { role: "gridcell", class: "soft" }, "…"));
  const mark = (kind, of) => el("span", { role: "gridcell", class: `sign ${kind}`, title: `${of} ${word(kind)}`, "aria-label": `${of} ${word(kind)}` }, SIGNS[kind]);
  const cell = row.right ?? row.left;
  fill(element,
    el("span", { role: "gridcell", class: "step number" }, count(row.row)),
    mark(row.action, "action"), mark(row.state, "state"),
    side(row.left, "left", row, wide), side(row.right, "right", row, wide),
    el("span", { role: "gridcell", class: "confidence number" }, percent(row.right?.sure ?? null)),
    el("span", { role: "gridcell", class: "bytes number" }, cell?.bytes === null || cell?.bytes === undefined ? "" : count(cell.bytes)));
}

function side(cell, name, row, wide) {
  if (!cell) return el("span", { role: "gridcell", class: `${name} soft` }, "–");
  const beside = row[name === "left" ? "right" : "left"];
  const there = counted(beside?.changes ?? [], beside?.excerpts);
  const deep = Math.min(6, Math.max(0, row.depth - 1)) * 6;
  const values = [...counted(cell.changes, cell.excerpts)].map(([at, { text, place, excerpt }]) => {
    const key = cut(at.slice(at.indexOf(" ") + 1), 40);
    const waited = place ? `${cut(place, 40)}: ` : ""; // the frame that changed is not the one of the row
    return { waited, head: waited + (text === null ? `-${key}` : `${key} = `), text: text ?? "", other: there.get(at)?.text, excerpt, beside: there.get(at)?.excerpt, key };
  });
  if (cell.arg !== null && cell.arg !== undefined) values.unshift({ waited: "", head: "", text: cell.arg, other: beside?.arg, excerpt: cell.excerpts?.arg });
  const left = wide - 1 - Math.ceil(deep / CHARACTER);
  const tight = left - cellText(cell).length < Math.min(LEAST, size(values));
  const event = tight && values.some(parts) ? cell.event : cellText(cell); // its line is in the source
  const fits = left - event.length;
  const texts = fitted(values, fits).flatMap((one, at) => [[at ? "  " : "", false], ...short(one, fits)]);
  const indent = el("span", { class: "indent" });
  indent.style.width = `${deep}px`;
  return el("span", { role: "gridcell", class: name }, indent, el("span", { class: "event", title: cellText(cell) }, event), " ", el("code", {}, marked(texts)),
    cell.decided ? el("span", { class: "decided soft" }, ` (${oneLine(cut(cell.decided.join("; "), VALUE))})`) : null);
}

// The changes of a row, by how often a name was changed before and the name: the row's own, then those of frames that waited for it.
function counted(changes, excerpts = {}) {
  const seen = new Map();
  return new Map(changes.map(([, key, text, , place], number) => {
    seen.set(key, (seen.get(key) ?? -1) + 1);
    return [`${seen.get(key)} ${key}`, { text, place, excerpt: excerpts[number] }];
  }));
}

// What differs comes first where not everything has room: what stands behind is what the column hides.
function fitted(values, fits) {
  if (size(values) <= fits) return values;
  return [...values.filter(parts), ...values.filter((one) => !parts(one))];
}

function size(values) {
  return values.reduce((sum, { head, text }) => sum + head.length + text.length + 2, -2);
}

function parts({ text, other }) {
  return typeof other === "string" && other !== text;
}

// A name with its value in the characters that there are: the server's excerpt, or what is around the place where it parts from the
// other side's.
function short({ waited, head, text, other, excerpt, beside, key }, fits) {
  if (!parts({ text, other })) {
    const isWhole = excerpt === undefined || head.length + text.length <= fits;
    return isWhole ? [[head, false], [cut(text, VALUE), false]] : [[waited + excerpt, false]];
  }
  const areChanges = excerpt !== beside && [excerpt, beside].every((change) => change && !change.startsWith(`${key}=`));
  if (areChanges) return [[waited, false], ...around(difference(excerpt, beside)[0], Math.max(VALUE / 2, fits - waited.length))];
  const most = Math.min(VALUE, Math.max(6, fits - head.length - 2)); // two signs of what is left out
  let at = 0;
  while (at < text.length && text[at] === other[at]) at += 1;
  return [[head, false], ...around(difference(text, other)[0], most, at).map(([piece, differs]) => [GAPS.has(piece) ? "…" : piece, differs])];
}
