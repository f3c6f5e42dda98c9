// One value of a run: a text in the words of its language, or a dot from which an arrow starts.

import { cut, el, oneLine } from "./dom.js";
import { marksOf } from "./natives.js";

const MAX_TEXT_CHARS = 480; // the server's excerpts are shorter

/** A word of a value as the language spells it, if it is one word: `None` is `null` in Java. */
function spelled(word, name, natives) {
  return [name, natives.kinds[word]].find((text) => text && !/[\s,]/.test(text)) ?? null;
}

/** The nodes of a value's text, with the language's own words; what the recorder calls them is their title. */
export function textNodes(text, natives) {
  const parts = [];
  let at = 0;
  for (const { start, end, word, name } of marksOf(text, natives)) {
    const own = word && spelled(word, name, natives);
    if (!word) continue;
    parts.push(oneLine(text.slice(at, start)));
    parts.push(el("span", { class: "native", title: own ? `recorded as ${text.slice(start, end)}` : name }, own ?? text.slice(start, end)));
    at = end;
  }
  return [...parts, oneLine(text.slice(at))];
}

/** What kind of object a box is, in words. */
export function boxName({ kind, title }, natives) {
  if (title) return title;
  return (natives?.kinds[kind] ?? kind).split(/,| or /)[0];
}

/** A button with a value: `slot` is [text], [null, box] or [null, box, element]; `press()` goes to who wrote it. */
export function valueButton({ slot: [text, ref, at], label, changed, natives, boxes, press, data = {} }) {
  const inside = text !== null ? textNodes(cut(text, MAX_TEXT_CHARS), natives) : [
    el("span", { class: `dot${changed ? " changed" : ""}`, data: at === undefined ? { ref } : { ref, at: String(at) } }),
    el("span", { class: "unseen" }, `refers to ${described(ref, at, boxes, natives)}`),
  ];
  return el("button", {
    type: "button", class: `slot quiet${changed ? " changed" : ""}${text === null ? " reference" : ""}`, data,
    title: `Go to the step that wrote ${oneLine(cut(label, 80))} (w)`, on: { click: press },
  }, el("span", { class: "unseen" }, `${oneLine(cut(label, 80))}: `), inside, changed ? el("span", { class: "unseen" }, " changed") : null);
}

function described(ref, at, boxes, natives) {
  const box = boxes.get(ref);
  const name = box ? `${boxName(box, natives)} ${numberOf(box.id) || "object"}`.trim() : "another value";
  return at === undefined ? name : `element ${at} of ${name}`;
}

/** The number of an object, as the trace counts them; "" for a container without one. */
export function numberOf(id) {
  return /^o\d+$/.test(id) ? `#${id.slice(1)}` : "";
}
