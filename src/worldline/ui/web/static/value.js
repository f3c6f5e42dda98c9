// A cell with one value: marked differences, whether it changed in this step, and a link to the step that wrote it last.

import { count, cut, el, oneLine } from "./dom.js";
import { icon } from "./icons.js";
import { marksOf } from "./natives.js";
import { partsOf } from "./wrapping.js";

const MAX_CELL_CHARS = 150; // more may not fit

/** Pieces of [text, marked] as nodes, on one line. */
export function marked(pieces) {
  return pieces.map(([text, differs]) => (differs ? el("mark", {}, oneLine(text)) : oneLine(text)));
}

/** The same where lines are broken: between the parts of the value, not inside them. */
export function wrapped(pieces) {
  const runs = []; // [nodes, marked]
  const add = (nodes, differs) => {
    if (runs.at(-1)?.[1] === differs) runs.at(-1)[0].push(...nodes);
    else runs.push([nodes, differs]);
  };
  const text = pieces.map(([part]) => part).join("");
  for (const { start, field, blank, end, isSolid } of partsOf(text)) {
    const inside = sliced(pieces, start, blank);
    if (isSolid) add([solid(pieces, start, field, blank)], inside.length === 1 && inside[0][1]);
    else for (const [part, differs] of inside) add([oneLine(part)], differs);
    for (const [part, differs] of sliced(pieces, blank, end)) add([oneLine(part)], differs);
    if (end < text.length) add([el("wbr")], runs.at(-1)[1]);
  }
  return runs.map(([nodes, differs]) => (differs ? el("mark", {}, nodes) : nodes)).flat();
}

// A part that is held together; where a line is too short for it, its field's name stands alone.
function solid(pieces, start, field, end) {
  const nodes = (from, to) => {
    const inside = sliced(pieces, from, to);
    return sliced(pieces, start, end).length === 1 ? inside.map(([text]) => oneLine(text)) : marked(inside);
  };
  const held = (from) => el("span", { class: "solid" }, nodes(from, end));
  return field === start ? held(start) : el("span", { class: "solid" }, nodes(start, field), el("wbr"), held(field));
}

// The pieces between two characters of all of them.
function sliced(pieces, start, end) {
  const parts = [];
  let at = 0;
  for (const [text, differs] of pieces) {
    const part = text.slice(Math.max(0, start - at), Math.max(0, end - at));
    if (part) parts.push([part, differs]);
    at += text.length;
  }
  return parts;
}

/**
 * Pieces as nodes, with what stands in them: words of the language have a hover, objects are buttons that `follow(mark, button)` is
 * called with. The first of each can be reached by Tab.
 */
function noted(pieces, names, follow) {
  const text = pieces.map(([part]) => part).join("");
  const parts = [];
  const seen = new Set();
  let at = 0;
  for (const mark of marksOf(text, names)) {
    const key = mark.word ?? `#${mark.number}`;
    const inside = marked(sliced(pieces, mark.start, mark.end));
    const opening = mark.number && text[mark.end] === "(" ? 1 : 0; // a button is a box of its own: its bracket stays with it
    const node = mark.word ? word(mark, inside, seen.has(key)) : object(mark, inside, seen.has(key), follow);
    parts.push(...wrapped(sliced(pieces, at, mark.start)), opening ? el("span", { class: "together" }, node, marked(sliced(pieces, mark.end, mark.end + 1))) : node, opening ? el("wbr") : null);
    seen.add(key);
    at = mark.end + opening;
  }
  return [...parts, ...wrapped(sliced(pieces, at, text.length))];
}

function word({ name, word: key }, inside, again) {
  return el("span", { class: "native", title: name, role: "note", "aria-label": `${key.replace("(*)", "")}: ${name}`, tabIndex: again ? -1 : 0, data: { native: name } }, inside);
}

function object(mark, inside, again, follow) {
  const what = mark.written ? "other places of this object" : "where this object is written out";
  const tooltip = [mark.name, follow ? `${what} (a)` : ""].filter(Boolean).join("; ");
  const press = (event) => {
    event.stopPropagation();
    follow?.(mark, event.currentTarget);
  };
  return el("button", {
    type: "button", class: `object quiet${mark.written ? " written" : ""}`, title: tooltip, tabIndex: again ? -1 : 0,
    data: { number: mark.number, label: String(mark.label) }, on: { click: press },
  }, inside);
}

/** Scrolls every long value to its first difference. */
export function bringDifferences(root) {
  for (const mark of root.querySelectorAll(".text.long mark:first-of-type")) {
    const box = mark.closest(".text");
    box.scrollTop = mark.offsetTop - box.offsetTop - box.clientHeight / 2;
  }
}

/** Scrolls a box, and with `far` the page, so that some rows are in sight: all, or the first ones. */
export function bringRows(rows, box, far) {
  const reach = (top, bottom) => {
    const [start, end] = [rows[0].getBoundingClientRect().top, rows.at(-1).getBoundingClientRect().bottom];
    if (start >= top && end <= bottom) return 0;
    return start < top || end - start > bottom - top ? start - top : end - bottom;
  };
  const legend = box.querySelector(".natives:not([hidden])")?.offsetHeight ?? 0; // it sticks to the bottom
  const { top, bottom } = box.getBoundingClientRect();
  box.scrollTop += reach(top, bottom - legend);
  const bar = document.querySelector(".moves");
  const covered = bar && getComputedStyle(bar).position === "sticky" ? bar.offsetHeight : 0;
  if (far) scrollBy(0, reach(covered, innerHeight));
}

/**
 * A table cell with a value ({text, row, changed}; null: the name is not there). `pieces` are its marked pieces, `here` the row in
 * hand, `jump(row)` goes to the writer, `shares` the names that are one object with it; `natives` are the names of its language,
 * `follow(mark, button)` goes to an object.
 */
export function valueCell({ value, pieces, name, side, here, jump, shares = null, natives = null, follow = null }) {
  if (!value) return el("td", { class: "value none" }, el("span", { class: "soft" }, "no value"));
  const go = () => getSelection().isCollapsed && value.row !== null && value.row !== here && jump(value.row, name);
  return el("td", { class: `value${value.changed ? " changed" : ""}` }, el("div", { class: "inside" },
    el("div", { class: `code text${value.text.length > MAX_CELL_CHARS ? " long" : ""}`, on: { click: go } }, noted(pieces, natives, follow)),
    notes([shares ? alias(shares) : null, value.changed ? el("span", { class: "tag" }, "changed") : null,
      value.changed && value.row === here ? null : writer(value.row, { name, side, here, jump })])));
}

// What stands beside a value, or below it where the value needs the room.
function notes(parts) {
  return parts.some(Boolean) ? el("span", { class: "notes" }, parts) : null;
}

// Names of one object share a mark; its title lists them, and hovering highlights them.
function alias({ number, names }) {
  const words = `same object: ${names.map((name) => oneLine(cut(name, 40))).join(", ")}`;
  const light = (on) => (event) => {
    const table = event.currentTarget.closest("table");
    const place = [...event.currentTarget.closest("tr").cells].indexOf(event.currentTarget.closest("td"));
    for (const row of table.querySelectorAll("tbody tr")) row.cells[place]?.querySelector(".alias")?.classList.toggle("lit", on && names.includes(row.dataset.name));
  };
  return el("span", { class: "alias", title: words, "aria-label": words, role: "note", data: { group: number }, on: { mouseenter: light(true), mouseleave: light(false) } },
    icon("alias"), String(number));
}

function writer(row, { name, side, here, jump }) {
  if (row === null || row === undefined) return null;
  const label = row === here ? "written in this step" : `last written in step ${count(row)}`;
  return el("button", {
    type: "button", class: "writer quiet", disabled: row === here, title: `${label} (${side})`,
    "aria-label": `${oneLine(cut(name, 80))} of ${side}: ${label}${row === here ? "" : ", go there"}`, on: { click: () => jump(row, name) },
  }, icon("writer"), count(row));
}
