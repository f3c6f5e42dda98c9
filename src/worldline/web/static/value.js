// One value as it is shown: its text with the differing characters and elements marked, whether it changed in this step, and the
// way to the step that wrote it last.

import { count, cut, el, oneLine } from "./dom.js";

const LONG = 150; // characters: more may not fit into its cell

/** Pieces of [text, marked] as nodes. */
export function marked(pieces) {
  return pieces.map(([text, differs]) => (differs ? el("mark", {}, oneLine(text)) : oneLine(text)));
}

/** Scrolls every long value under an element to where it differs. */
export function bringDifferences(root) {
  for (const mark of root.querySelectorAll(".text.long mark:first-of-type")) {
    const box = mark.closest(".text");
    box.scrollTop = mark.offsetTop - box.offsetTop - box.clientHeight / 2;
  }
}

/**
 * A table cell with a value ({text, row, changed}; null: the name is not there). `pieces` are its marked pieces, `here` the row in
 * hand, `jump(row)` goes to the writer, `shares` the names that are one object with it.
 */
export function valueCell({ value, pieces, name, side, here, jump, shares = null }) {
  if (!value) return el("td", { class: "value none" }, el("span", { class: "soft" }, "not there"));
  const go = () => getSelection().isCollapsed && value.row !== null && value.row !== here && jump(value.row, name);
  return el("td", { class: `value${value.changed ? " changed" : ""}` }, el("div", { class: "inside" },
    el("div", { class: `code text${value.text.length > LONG ? " long" : ""}`, on: { click: go } }, marked(pieces)),
    shares ? alias(shares) : null,
    value.changed ? el("span", { class: "tag" }, "changed") : null,
    value.changed && value.row === here ? null : writer(value.row, { name, side, here, jump })));
}

// Names that share an object share a mark; its title names them, and pointing at it shows them all.
function alias({ number, names }) {
  const words = `one object: ${names.map((name) => oneLine(cut(name, 40))).join(", ")}`;
  const light = (on) => (event) => {
    const table = event.currentTarget.closest("table");
    const place = [...event.currentTarget.closest("tr").cells].indexOf(event.currentTarget.closest("td"));
    for (const row of table.querySelectorAll("tbody tr")) row.cells[place]?.querySelector(".alias")?.classList.toggle("lit", on && names.includes(row.dataset.name));
  };
  return el("span", { class: "alias", title: words, "aria-label": words, role: "note", data: { group: number }, on: { mouseenter: light(true), mouseleave: light(false) } },
    `⧉${number}`);
}

function writer(row, { name, side, here, jump }) {
  if (row === null || row === undefined) return null;
  const label = row === here ? "written in this step" : `last written in step ${count(row)}`;
  return el("button", {
    type: "button", class: "writer quiet", disabled: row === here, title: `${label} (${side})`,
    "aria-label": `${oneLine(cut(name, 80))} of ${side}: ${label}${row === here ? "" : ", go there"}`, on: { click: () => jump(row, name) },
  }, `⤺ ${count(row)}`);
}
