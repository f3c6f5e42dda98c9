// The buttons that move, the field to jump to a step, and the neighbouring samples; all of them also are keys (moves.js).

import { count, el, fill } from "./dom.js";
import { sign } from "./keys.js";
import { HOPS, MOVES, RUNS } from "./moves.js";
import { addressOf } from "./place.js";

/** The toolbar; `move(move)` is called with a move, `jump(row)` with a typed step, `back()` to return from a jump. */
export function toolbar({ move, jump, back, samples }) {
  const button = (one) => el("button", {
    type: "button", class: one.sign ? "move" : "hop", title: `${one.label} (${sign(one.key)})`,
    "aria-label": one.sign ? one.label : null, data: { move: one.name }, on: { click: () => move(one) },
  }, one.sign ?? one.text);
  const buttons = [...MOVES, ...RUNS, ...HOPS].map((one) => [one, button(one)]);
  const field = el("input", { type: "text", inputMode: "numeric", id: "jump", class: "number", "aria-label": "Go to step" });
  const total = el("span", { class: "soft total" });
  const form = el("form", { class: "jump", on: { submit: (event) => { event.preventDefault(); go(); } } }, el("label", { for: "jump" }, "step"), field, total);
  const returns = el("button", { type: "button", class: "quiet", title: "Back to where you were (b)", on: { click: back } }, "⤶ back");
  const said = el("span", { class: "soft said" });
  const element = el("div", { class: "toolbar" },
    el("div", { class: "moves", role: "toolbar", "aria-label": "Stepping" }, buttons.filter(([one]) => one.sign).map(([, made]) => made)),
    form, el("div", { class: "hops", role: "group", "aria-label": "Differences" }, buttons.filter(([one]) => !one.sign).map(([, made]) => made), returns), said, samples);

  function go() {
    const wanted = Number(field.value.replace(/[\s,_]/g, ""));
    if (field.value.trim() && Number.isInteger(wanted)) jump(wanted);
    field.blur();
  }

  function render({ row, count: many, place, canReturn }) {
    if (document.activeElement !== field) field.value = String(row);
    fill(said);
    fill(total, `of ${count(Math.max(0, many - 1))}`);
    returns.disabled = !canReturn;
    for (const [one, made] of buttons) {
      made.disabled = RUNS.includes(one) ? place.rows < 2 : one.sign ? (one.to(place) ?? null) === null : place.first === null;
    }
  }

  function focus() {
    field.focus();
    field.select();
  }

  return { element, render, focus, say: (text) => fill(said, text) };
}

/** The links to the samples beside this one. */
export function neighbours({ previous, next }, here) {
  const link = (at, text, key) => {
    if (at === null || at === undefined) return el("span", { class: "soft" }, text);
    return el("a", { href: addressOf({ ...here, at, branch: 0, row: null }), title: `${text} (${key})` }, text);
  };
  return el("nav", { class: "neighbours", "aria-label": "Samples" }, link(previous, "‹ previous sample", "["), link(next, "next sample ›", "]"));
}
