// The call stack of both sides, innermost frame first, with the names of its frames. The innermost frame is open, and those that
// change in this step; a click opens another.

import { difference } from "./difference.js";
import { count, cut, el, fill, oneLine, plural } from "./dom.js";
import { icon } from "./icons.js";
import { levels, names } from "./fold.js";
import { legendOf } from "./natives.js";
import { blockOf, lastWritten, placesOf } from "./objects.js";
import { bringDifferences, bringRows, valueCell } from "./value.js";
import { nameKey, rowKey, whyButton } from "./why.js";

const SHOWN = 24; // levels of a deep stack that are shown around its ends
const LONGEST_NAME = 200;
const VERBS = { return: "returns", raise: "raises", yield: "yields", output: "prints", input: "reads", exit: "exits" };

/**
 * The panel; `jump(row, name)` goes to a writer, `edit(name)` offers to change a name of the innermost frame, `why(question, button)`
 * explains a wrong value, `say(text)` reports why nothing happens.
 */
export function statePanel({ jump, edit, why, say }) {
  const body = el("div", { class: "frames" });
  const depth = el("span", { class: "soft" });
  const element = el("section", { class: "panel state-panel", "aria-labelledby": "state-title" },
    el("header", {}, el("h2", { id: "state-title" }, "State"), depth), body);
  const opened = new Map(); // level from the innermost (0) -> open
  let changed = new Set(); // levels with a change of this step
  let all = false;
  let last = null;
  let differing = -1;

  function render(view) {
    last = view;
    const stack = levels(view.left.stack, view.right.stack).reverse();
    differing = view.current.action === "open" ? -1 : stack.findIndex((level) => names(level).some((row) => row.differs));
    fill(depth, `${plural(stack.length, "frame")} live`);
    const parts = stack.map((level, at) => ({ level, at }));
    changed = new Set(parts.filter(({ level }) => hasChange(level)).map(({ at }) => at));
    const shown = all || parts.length <= SHOWN ? parts : [...parts.slice(0, SHOWN - 4), null, ...parts.slice(-4)];
    const held = document.activeElement?.closest?.("[data-level]")?.dataset.level;
    fill(body, stack.length ? shown.map((part) => (part ? renderLevel(part, view) : more(parts.length - SHOWN))) : el("p", { class: "soft pad" }, "No live frames."));
    body.append(legend(stack, view));
    if (held !== undefined) body.querySelector(`[data-level="${held}"]`)?.focus();
  }

  // Explains words of the open frames in the program's language.
  function legend(stack, { program, left, right }) {
    const open = stack.filter((_, at) => isOpen(at)).flatMap(({ left: entry, right: other }) => [entry, other]);
    const texts = open.flatMap((frame) => [...(frame?.values.values() ?? [])].map(({ text }) => text));
    const args = [left, right].filter((side) => side.own && side.cell?.arg).map((side) => side.cell.arg);
    const words = legendOf([...texts, ...args], program.natives);
    return el("p", { class: "natives soft pad", hidden: !words.length }, words.join(" · "));
  }

  /** Goes to an object: in the same value, at another name, or in the latest earlier step that wrote it out. */
  async function follow(side, at, name, mark, button) {
    const same = objects(button.closest(".text"), mark)[0];
    if (!mark.written && same) return show(same);
    const deep = Math.max(last.left.stack.length, last.right.stack.length);
    const places = mark.label ? [] : placesOf(last[side].stack, deep, mark.number);
    const next = places[(places.findIndex((entry) => entry.level === at && entry.name === name) + 1) % places.length];
    const isOther = next && !(next.level === at && next.name === name);
    const place = isOther ? next : blockOf(last[side].stack, deep, button.closest(".text").textContent, mark);
    if (place) {
      opened.set(place.level, true);
      all = true;
      render(last);
      return show(inCell(side, place, mark));
    }
    const writer = mark.label ? null : await lastWritten(last.rows, side, last.row, mark.number);
    if (!writer) return say(`object ${mark.number} is not written out anywhere else so far`);
    await jump(writer.row, writer.name);
    const level = placesOf(last[side].stack, Math.max(last.left.stack.length, last.right.stack.length), mark.number).find((entry) => entry.name === writer.name);
    return level && isOpen(level.level) ? show(inCell(side, level, mark)) : null;
  }

  function inCell(side, { level, name }, mark) {
    const rows = [...body.querySelectorAll(`[data-level="${level}"]`)].flatMap((head) => [...head.closest(".frame").querySelectorAll("tbody tr")]);
    const cell = rows.find((row) => row.dataset.name === name)?.cells[side === "left" ? 1 : 2];
    return cell ? objects(cell, mark)[0] ?? cell.querySelector(".text") : null;
  }

  function show(button) {
    for (const entry of body.querySelectorAll(".found")) entry.classList.remove("found");
    button?.classList.add("found");
    if (button && !button.matches("button")) button.tabIndex = -1; // a value without a number
    button?.scrollIntoView({ block: "center" });
    button?.focus({ preventScroll: true });
  }

  /** Brings the differing names into sight, once all panels have their size; `far`: scrolls the page too. The focus stays where it is. */
  function bring({ far }) {
    bringDifferences(body);
    const rows = body.querySelectorAll("tr.differs");
    if (rows.length) bringRows([...rows], body, far);
  }

  /** Follows the object in focus, else the first of the name in focus, else the first there is. */
  function followFocused() {
    const focused = document.activeElement;
    const root = focused?.closest?.("tr[data-name]") ?? body;
    const button = focused?.matches?.("button.object") ? focused : root.querySelector("button.object");
    if (button) button.click();
    else say("no object is shown here");
  }

  function more(hidden) {
    return el("button", { type: "button", class: "quiet more", on: { click: () => { all = true; render(last); } } }, `… ${count(hidden)} more frames`);
  }

  function toggle(at) {
    opened.set(at, !isOpen(at));
    render(last);
  }

  // The innermost frame, the innermost one with a difference, and those that this step changes.
  const isOpen = (at) => opened.get(at) ?? (at === 0 || at === differing || changed.has(at));

  function renderLevel({ level, at }, view) {
    const rows = view.current.action === "open" ? names(level).map((entry) => ({ ...entry, differs: false })) : names(level);
    const differing = rows.filter((row) => row.differs).length;
    const open = isOpen(at);
    const button = el("button", { type: "button", class: "frame-head", "aria-expanded": String(open), data: { level: at }, on: { click: () => toggle(at) } },
      el("span", { class: "twist", "aria-hidden": "true" }, icon(open ? "open" : "closed")), titles(level, view.sides),
      differing ? el("span", { class: "badge wrong" }, `${count(differing)} ${differing === 1 ? "differs" : "differ"}`) : null);
    return el("div", { class: "frame" }, el("h3", {}, button), open ? table(rows, at, view, level) : null);
  }

  function table(rows, at, view, level) {
    const extra = at === 0 ? carried(view, follow, why) : null;
    if (!rows.length && !extra) return el("p", { class: "soft pad" }, "No names.");
    return el("table", { class: "names" },
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "name"), el("th", { scope: "col" }, view.sides.left), el("th", { scope: "col" }, view.sides.right))),
      el("tbody", {}, extra, rows.map((row) => nameRow(row, at, view, level))));
  }

  function nameRow(row, at, view, level) {
    const texts = [row.left?.text ?? "", row.right?.text ?? ""];
    const [left, right] = row.differs ? difference(...texts) : texts.map((text) => [[text, false]]);
    const cell = (side, value, pieces) => valueCell({ value, pieces, name: row.name, side: view.sides[side], here: view.row, jump, shares: shared(level[side], row.name), natives: view.program.natives, follow: (mark, button) => follow(side, at, row.name, mark, button) });
    const editing = at === 0 && view.canEdit ? el("button", {
      type: "button", class: "quiet edit", title: "Change it and continue with the model (e)",
      "aria-label": `Change ${oneLine(cut(row.name, 80))}`, on: { click: () => edit(row.name) },
    }, icon("edit")) : null;
    const frames = [level.left?.frame, level.right?.frame];
    const question = { name: row.name, left_frame: frames[0], right_frame: frames[1], key: nameKey(row.name, frames, [row.left?.row, row.right?.row]) };
    return el("tr", { class: row.differs ? "differs" : null, data: { name: row.name } },
      el("th", { scope: "row", class: "code" }, oneLine(cut(row.name, LONGEST_NAME)), row.differs ? el("span", { class: "unseen" }, " differs") : null, editing, row.differs ? whyButton(question, row.name, why) : null),
      cell("left", row.left, left), cell("right", row.right, right));
  }

  /** Explains the wrong value in focus, else the first one shown. */
  function whyFocused() {
    const root = document.activeElement?.closest?.("tr[data-name]") ?? body;
    const button = root.querySelector(".why-button");
    if (button) button.click();
    else say("no wrong value is shown here");
  }

  return { element, render, bring, followFocused, whyFocused };
}

// The elements that write an object out.
function objects(root, { number, label }) {
  return [...root.querySelectorAll(".object.written")].filter((entry) => entry.dataset.number === number && entry.dataset.label === String(label));
}

function hasChange({ left, right }) {
  return [left, right].some((frame) => frame && [...frame.values.values()].some(({ changed }) => changed));
}

// The names that refer to the same object as a name, and the number of their group.
function shared(frame, name) {
  const at = frame?.shares.findIndex((group) => group.includes(name)) ?? -1;
  return at < 0 ? null : { number: at + 1, names: frame.shares[at] };
}

// The value that the step returns, raises, yields or reads.
function carried({ left, right, sides, program, row }, follow, why) {
  const args = [left, right].map((side) => (side.own ? side.cell?.arg ?? null : null));
  if (args.every((arg) => arg === null)) return null;
  const [entry, other] = difference(args[0] ?? "", args[1] ?? "");
  const event = (left.own && left.cell?.arg != null ? left : right).cell.event;
  const cell = (arg, pieces, side) => valueCell({
    value: arg === null ? null : { text: arg, row: null, changed: false }, pieces, name: event, side: sides[side],
    natives: program.natives, follow: (mark, button) => follow(side, -1, null, mark, button),
  });
  const isWrong = args[0] !== args[1];
  const verb = VERBS[event] ?? event;
  return el("tr", { class: `carried${isWrong ? " differs" : ""}` }, el("th", { scope: "row" }, verb, isWrong ? whyButton({ key: rowKey(row) }, `what it ${verb}`, why) : null),
    cell(args[0], entry, "left"), cell(args[1], other, "right"));
}

function titles({ left, right }, sides) {
  const heading = (frame) => [
    el("span", { class: "code function" }, oneLine(cut(frame.function, LONGEST_NAME))),
    frame.line === null ? null : el("span", { class: "soft" }, `line ${frame.line}`),
  ];
  if (left && right && left.function === right.function && left.line === right.line) return heading(left);
  if (left && right && left.function === right.function) return [heading(left)[0], el("span", { class: "soft" }, `line ${left.line ?? "?"} / ${right.line ?? "?"}`)];
  return [["left", left], ["right", right]].map(([side, frame]) => frame && [...heading(frame), el("span", { class: `who ${side}` }, sides[side])]);
}
