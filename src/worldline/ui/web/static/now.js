// The current step on both sides: event, line, verdicts on action and state, confidence, cost, and the differences in words.

import { around, difference } from "./difference.js";
import { count, cut, el, fill, oneLine, percent, plural } from "./dom.js";
import { wrapped } from "./value.js";

export const SIGNS = { right: "✓", wrong: "✗", consequential: "≈", open: "·" };
const WORDS = { open: "not compared" };

/** A verdict in words. */
export function word(kind) {
  return WORDS[kind] ?? kind;
}

/** A verdict as a sign and a word. */
export function verdict(of, kind) {
  return el("span", { class: `verdict ${kind}` }, el("span", { "aria-hidden": "true" }, SIGNS[kind] ?? "?"), ` ${of} ${word(kind)}`);
}

/** A cell in a few words: its event and its line. */
export function cellText(cell) {
  if (!cell) return "no step";
  return cell.line === null || cell.line === undefined ? cell.event : cell.event === "line" ? `line ${cell.line}` : `${cell.event}, line ${cell.line}`;
}

/** A step as text for screen readers. */
export function spoken({ current: row, sides, row: at }) {
  const differs = row.action === "right" && row.state === "right" ? "" : `; action ${word(row.action)}, state ${word(row.state)}`;
  const both = cellText(row.left) === cellText(row.right) ? cellText(row.left) : `${sides.left} ${cellText(row.left)}, ${sides.right} ${cellText(row.right)}`;
  return `step ${count(at)}: ${both}${differs}`;
}

/** The panel. */
export function nowPanel() {
  const body = el("div", { class: "now" });
  const element = el("section", { class: "panel now-panel", "aria-label": "This step" }, body);

  function render({ current: row, sides }) {
    fill(body,
      el("div", { class: "verdicts" }, ["action", "state"].map((of) => verdict(of, row.compared === false && row[of] === "right" ? "uncompared" : row[of]))),
      el("div", { class: "pair" }, ["left", "right"].map((side) => sideOf(row[side], sides[side]))),
      row.differs.length ? el("ul", { class: "differences" }, row.differs.slice(0, 8).map((one) => el("li", {}, words(one, sides)))) : null,
      row.differs.length > 8 ? el("p", { class: "soft" }, `and ${plural(row.differs.length - 8, "more difference")}`) : null);
  }

  return { element, render };
}

function sideOf(cell, name) {
  const facts = cell ? [`step ${count(cell.step)}`, typeof cell.thread === "number" ? `thread ${cell.thread}` : null, cell.bytes ? plural(cell.bytes, "byte") : null, confidence(cell)] : [];
  const drawn = (cell?.hidden ?? []).map(([kind, value]) => el("li", {}, `${kind}: `, el("code", {}, oneLine(cut(value, 160)))));
  return el("div", { class: cell ? null : "soft" },
    el("h3", {}, name), el("div", { class: "what" }, cellText(cell)), drawn.length ? el("ul", { class: "drawn", "aria-label": "hidden inputs" }, drawn) : null,
    cell?.decided ? el("div", { class: "decided" }, el("code", {}, oneLine(cut(cell.decided.join("; "), 300)))) : null, el("div", { class: "soft facts" }, facts.filter(Boolean).join(" · ")));
}

function confidence(cell) {
  const chance = (p) => percent(p).replace(" ", "\u00a0");
  if (cell.sure_action === null || cell.sure_action === undefined) return cell.sure === null || cell.sure === undefined ? null : `confidence ${chance(cell.sure)}`;
  return `confidence: action ${chance(cell.sure_action)}, state ${chance(cell.sure_state)}`;
}

function words({ what, name, wanted, got, path }, sides) {
  const drawn = name === "%"; // so hidden inputs are told of
  const subject = drawn ? ["hidden input"] : [what === "names" ? "change of" : what, name ? [" ", el("code", {}, oneLine(cut(name, 80)), oneLine(cut(path ?? "", 80)))] : null];
  const [one, other] = wanted != null && got != null ? difference(wanted, got) : [wanted, got].map((text) => [[text ?? "", false]]);
  const quoted = (text, pieces) => (text === null || text === undefined ? "nothing" : el("code", {}, wrapped(around(pieces, 160))));
  return [...subject, `: ${sides.left} `, quoted(wanted, one), `, ${sides.right} `, quoted(got, other)];
}
