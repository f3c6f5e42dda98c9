// Buttons to move, a field to jump to a step, and links to the neighbouring samples. All have keys (moves.js).

import { count, el, fill } from "./dom.js";
import { icon } from "./icons.js";
import { sign } from "./keys.js";
import { HOPS, MOVES, RUNS } from "./moves.js";
import { addressOf } from "./place.js";

/** The toolbar; `move(move)` is called with a move, `jump(row)` with a typed step, `back()` to return from a jump. */
export function toolbar({ move, jump, back, samples }) {
  const button = (item) => el("button", {
    type: "button", class: item.icon ? "move" : "hop", title: `${item.label} (${sign(item.key)})`,
    "aria-label": item.icon ? item.label : null, data: { move: item.name }, on: { click: () => move(item) },
  }, item.icon ? icon(item.icon) : item.text);
  const buttons = [...MOVES, ...RUNS, ...HOPS].map((item) => [item, button(item)]);
  const field = el("input", { type: "text", inputMode: "numeric", id: "jump", class: "number", "aria-label": "Go to step" });
  const total = el("span", { class: "soft total" });
  const form = el("form", { class: "jump", on: { submit: (event) => { event.preventDefault(); go(); } } }, el("label", { for: "jump" }, "step"), field, total);
  const returns = el("button", { type: "button", class: "quiet", title: "Back to where you were (b)", on: { click: back } }, icon("return"), " back");
  const message = el("span", { class: "soft said" });
  const element = el("div", { class: "toolbar" },
    el("div", { class: "moves", role: "toolbar", "aria-label": "Stepping" }, buttons.filter(([item]) => item.icon).map(([, control]) => control)),
    form, el("div", { class: "hops", role: "group", "aria-label": "Differences" }, buttons.filter(([item]) => !item.icon).map(([, control]) => control), returns), message, samples);

  function go() {
    const wanted = Number(field.value.replace(/[\s,_]/g, ""));
    if (field.value.trim() && Number.isInteger(wanted)) jump(wanted);
    field.blur();
  }

  function render({ row, count: many, place, canReturn }) {
    if (document.activeElement !== field) field.value = String(row);
    fill(message);
    fill(total, `of ${count(Math.max(0, many - 1))}`);
    returns.disabled = !canReturn;
    for (const [item, control] of buttons) {
      control.disabled = RUNS.includes(item) ? place.rows < 2 : item.icon ? (item.to(place) ?? null) === null : place.first === null;
    }
  }

  function focus() {
    field.focus();
    field.select();
  }

  return { element, render, focus, say: (text) => fill(message, text) };
}

/** Links to the previous and next sample. */
export function neighbours({ previous, next }, here) {
  const link = (at, text, key) => {
    if (at === null || at === undefined) return el("span", { class: "soft" }, text);
    return el("a", { href: addressOf({ ...here, at, branch: 0, row: null }), title: `${text} (${key})` }, text);
  };
  return el("nav", { class: "neighbours", "aria-label": "Samples" }, link(previous, "‹ previous sample", "["), link(next, "next sample ›", "]"));
}
