// Frames and objects of one step: the stack with its names, boxes for objects, arrows between them. Changes are marked. Long boxes are
// folded. As tables, every name has its whole value as text instead.

import { count, cut, el, fill, oneLine, plural } from "./dom.js";
import { arrowLayer, layOut } from "./heap_layout.js";
import { boxName, numberOf, textNodes, valueButton } from "./run_value.js";

const [SHOWN_FIRST, SHOWN_LAST] = [9, 3]; // of a folded box
const SHOWN_PARTS = SHOWN_FIRST + SHOWN_LAST;
const MAX_NAME_CHARS = 60;
const ENDINGS = { return: "returns", raise: "raises", yield: "yields" };
const ROWS = ["dict", "object", "exception"];

/**
 * The panel. `jump(row, label)` goes to the step that wrote a value, `select(what)` lists the changes of a name or an object:
 * {frame, name} or {box, title}.
 */
export function heapPanel({ jump, select }) {
  const stack = el("div", { class: "stack", role: "list", "aria-label": "Stack, outermost frame first" });
  const arrows = { under: arrowLayer("under"), over: arrowLayer("over") };
  const heap = el("div", { class: "boxes", role: "list", "aria-label": "Objects" });
  const canvas = el("div", { class: "heap-canvas" }, stack, arrows.under, heap, arrows.over);
  const scroll = el("div", { class: "heap-scroll", tabIndex: 0, role: "group", "aria-label": "Frames and objects" }, canvas);
  const toggle = el("button", { type: "button", class: "quiet tables", "aria-pressed": "false", title: "Values as tables (v)", on: { click: () => flip() } }, "tables");
  const note = el("span", { class: "soft note" });
  const element = el("section", { class: "panel heap-panel", "aria-labelledby": "heap-title" },
    el("header", {}, el("h2", { id: "heap-title" }, "Frames and objects"), note, toggle), scroll);
  const unfolded = new Set();
  let shown = null;
  let isTables = false;
  const sizes = new ResizeObserver(() => shown && lay());
  sizes.observe(scroll);

  canvas.addEventListener("pointerover", (event) => light(event.target));
  canvas.addEventListener("focusin", (event) => light(event.target));

  // Arrows into the same object light up together, so that sharing is seen.
  function light(target) {
    const from = target.closest?.("button.reference")?.querySelector("[data-ref]")?.dataset.ref ?? target.closest?.(".box")?.dataset.id ?? null;
    for (const part of [...arrows.under.children, ...arrows.over.children]) part.classList.toggle("lit", from !== null && part.dataset.to === from);
    for (const box of heap.children) box.classList.toggle("lit", from !== null && box.dataset.id === from);
  }

  function flip() {
    isTables = !isTables;
    toggle.setAttribute("aria-pressed", String(isTables));
    if (shown) render(shown);
  }

  /** Shows a step: {scene, natives, changes, model, selected}. */
  function render(view) {
    shown = view;
    const focus = focusKey(document.activeElement);
    const { scene } = view;
    const boxes = new Map(scene.boxes.map((box) => [box.id, box]));
    fill(stack, scene.frames.map((frame, at) => [
      scene.hidden_frames && at === scene.frames.length / 2 ? el("p", { class: "soft more" }, `${plural(scene.hidden_frames, "more frame")} not drawn`) : null,
      frameBox(frame, at === scene.frames.length - 1, view, boxes),
    ]));
    fill(heap, isTables ? [] : scene.boxes.map((box) => objectBox(box, view, boxes)));
    canvas.classList.toggle("tabular", isTables);
    fill(note, scene.hidden_boxes ? `${plural(scene.hidden_boxes, "more object")} not drawn` : "");
    lay();
    refocus(focus);
    inSight();
  }

  function lay() {
    layOut({ canvas, stack, boxes: [...heap.children], arrows });
  }

  function inSight() {
    const active = stack.querySelector(".stack-frame.active");
    if (!active) return;
    const [top, bottom] = [active.offsetTop, active.offsetTop + active.offsetHeight];
    if (top < scroll.scrollTop || bottom > scroll.scrollTop + scroll.clientHeight) scroll.scrollTop = Math.max(0, bottom - scroll.clientHeight + 12);
  }

  function refocus(key) {
    if (key) [...canvas.querySelectorAll("button")].find((button) => focusKey(button) === key)?.focus({ preventScroll: true });
  }

  function frameBox(frame, isActive, view, boxes) {
    const ending = ENDINGS[frame.ending];
    const differing = new Map((view.scene.predicted?.values ?? []).filter(([number]) => number === frame.frame).map(([, name, text]) => [name, text]));
    const known = new Set(frame.names.map(([name]) => name));
    const extra = [...differing].filter(([name]) => !known.has(name));
    const title = oneLine(cut(frame.function, MAX_NAME_CHARS));
    return el("div", {
      class: `stack-frame${isActive ? " active" : ""}${ending ? " ending" : ""}`, role: "listitem", data: { frame: frame.frame },
      "aria-label": `Frame ${title}${isActive ? ", running" : ", waiting"}`,
    },
    el("h3", {}, el("span", { class: "code function" }, title), frame.line ? el("span", { class: "soft" }, `line ${frame.line}`) : null,
      isActive ? el("span", { class: "badge" }, ending ?? "running") : null),
    el("table", { class: "slots" }, el("tbody", {},
      frame.names.map((entry) => nameRow(entry, frame, view, boxes, differing)),
      extra.map(([name, text]) => el("tr", { data: { name } }, el("th", { scope: "row", class: "code" }, shortName(name)), el("td", { class: "soft" }, "no value"), predicted(text, view))),
      frame.result ? resultRow(frame, ending, view, boxes) : null)),
    frame.left_out ? el("p", { class: "soft more" }, `${plural(frame.left_out, "more name")} not drawn`) : null);
  }

  function nameRow([name, slot, row, root], frame, view, boxes, differing) {
    const { scene, natives } = view;
    const changed = row === scene.row;
    const isSelected = view.selected?.name === name && view.selected.frame === frame.frame;
    const button = el("button", {
      type: "button", class: "quiet name code", title: `When did ${shortName(name)} change? (c)`, "aria-pressed": String(isSelected),
      data: { pick: `${frame.frame} ${name}` }, on: { click: () => select({ frame: frame.frame, name }) },
    }, shortName(name));
    const text = isTables ? view.changes.textAt(frame.frame, name, scene.row) : null;
    const value = valueButton({
      slot: text === null ? slot : [text], label: name, changed: isTables ? changedText(view, frame.frame, name) : changed, natives, boxes,
      press: () => jump(isTables ? lastChange(view, frame.frame, name) : row, name), data: { write: `${frame.frame} ${name}` },
    });
    return el("tr", { class: changed ? "changed" : null, data: { name, root } }, el("th", { scope: "row" }, button), el("td", {}, value),
      differing.has(name) ? predicted(differing.get(name), view) : null);
  }

  function resultRow(frame, ending, view, boxes) {
    const { scene, natives } = view;
    const value = valueButton({ slot: frame.result, label: ending, changed: true, natives, boxes, press: () => jump(scene.row, ending) });
    const other = scene.predicted?.result;
    return el("tr", { class: "result changed" }, el("th", { scope: "row" }, ending), el("td", {}, value), other ? predicted(other, view) : null);
  }

  function objectBox(box, view, boxes) {
    const { scene, natives } = view;
    const keys = scene.changed[box.id];
    const isNew = keys && !keys.length;
    const isOpen = unfolded.has(box.id);
    const last = Math.max(SHOWN_FIRST, box.parts.length - SHOWN_LAST);
    const isShown = ([key], at) => isOpen || at < SHOWN_FIRST || at >= last || keys?.includes(key);
    const hidden = box.parts.filter((entry, at) => !isShown(entry, at)).length;
    const name = `${boxName(box, natives)}${numberOf(box.id) && ` ${numberOf(box.id)}`}`;
    const isSelected = view.selected?.box === box.id;
    const title = el("button", {
      type: "button", class: "quiet box-title", title: `When did this ${oneLine(cut(name, 60))} change? (c)`, "aria-pressed": String(isSelected),
      data: { pick: box.id }, on: { click: () => select({ box: box.id, title: name }) },
    }, el("span", { class: "code" }, oneLine(cut(name, 60))), box.parts.length ? null : el("span", { class: "soft" }, "empty"));
    const part = ([key, slot], at) => {
      if (!isShown([key], at)) return isShown(box.parts[at - 1], at - 1) ? gap(box) : null;
      const changed = Boolean(keys && (isNew || keys.includes(key)));
      const value = valueButton({
        slot, label: `${name}${key}`, changed: changed && !isNew, natives, boxes, data: { write: `${box.id} ${key}` },
        press: () => jump(view.changes.writerOf(box.id, key, scene.row), `${name}${key}`),
      });
      return ROWS.includes(box.kind)
        ? el("tr", { data: { key } }, el("th", { scope: "row", class: "code" }, keyText(key)), el("td", {}, value))
        : el("li", { data: { key } }, box.kind === "set" || box.kind === "frozenset" ? null : el("span", { class: "index" }, keyText(key)), value);
    };
    const fold = hidden || (isOpen && box.parts.length > SHOWN_PARTS) ? el("button", {
      type: "button", class: "quiet fold", "aria-expanded": String(isOpen), data: { fold: box.id }, on: { click: () => unfold(box.id) },
    }, isOpen ? "fold" : `${count(hidden)} more`) : null;
    const table = ROWS.includes(box.kind) ? el("table", {}, el("tbody", {}, box.parts.map(part))) : el("ol", { class: "cells" }, box.parts.map(part));
    return el("div", { class: `box kind-${box.kind}${keys ? " changed" : ""}${isNew ? " new" : ""}`, role: "listitem", data: { id: box.id }, "aria-label": name },
      el("h4", {}, title), table, fold, box.more ? el("p", { class: "soft more" }, `and ${count(box.more)} more, not drawn`) : null);
  }

  function unfold(id) {
    if (!unfolded.delete(id)) unfolded.add(id);
    if (shown) render(shown);
  }

  return { element, render, flip, dispose: () => sizes.disconnect() };
}

/** Where a folded box leaves out parts. */
function gap(box) {
  return ROWS.includes(box.kind) ? el("tr", { class: "gap soft" }, el("td", {}), el("td", {}, "…")) : el("li", { class: "gap soft" }, "…");
}

function lastChange(view, frame, name) {
  return view.changes.ofName(frame, name).findLast(({ row }) => row <= view.scene.row)?.row ?? null;
}

function changedText(view, frame, name) {
  return lastChange(view, frame, name) === view.scene.row;
}

function predicted(text, { model, natives }) {
  return el("td", { class: "predicted" }, el("span", { class: "who right" }, model), " ",
    text === null ? el("span", { class: "soft" }, "no value") : el("span", { class: "code" }, textNodes(text, natives)));
}

function shortName(name) {
  return oneLine(cut(name, MAX_NAME_CHARS));
}

// A key as it stands in a box: an index, a field, or the text of a dict's key.
function keyText(key) {
  return oneLine(cut(key.startsWith("[") ? key.slice(1, -1) : key.slice(1) || "value", MAX_NAME_CHARS));
}

// Which control has the focus, so that it has it again after the step is drawn.
function focusKey(element) {
  const { pick, write, fold } = element?.dataset ?? {};
  return pick ? `pick ${pick}` : write ? `write ${write}` : fold ? `fold ${fold}` : null;
}
