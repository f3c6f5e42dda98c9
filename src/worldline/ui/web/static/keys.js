// The keyboard: views register keys with a label and an action, and the help dialog shows the same list. Keys are those of KeyboardEvent.key ("ArrowRight", "f", "F", "?"), a function key with Shift being "Shift+F11".
// Keys are ignored while the user types; Esc leaves the field.

import { el, fill, typesInto } from "./dom.js";
import { icon } from "./icons.js";

const groups = [];
const SIGNS = { ArrowRight: "→", ArrowLeft: "←", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc", " ": "Space", "Shift+F11": "Shift+F11" };
// A slider handles these itself.
const SLIDES = ["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"];

// Elements that handle Space themselves.
const PRESSED = "button, a, summary, label, input, [role=treeitem]";

/** Registers keys under a heading: [{key, also?, label, act}], `also` being further keys, separated by spaces. Returns a function that removes them. */
export function register(heading, keys) {
  const group = { heading, keys };
  groups.push(group);
  return () => {
    const at = groups.indexOf(group);
    if (at >= 0) groups.splice(at, 1);
  };
}

/** Listens to the document's keys. */
export function listen() {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;
    if (typesInto(event.target)) return void (event.key === "Escape" && event.target.blur());
    if (event.target instanceof HTMLInputElement && event.target.type === "range" && SLIDES.includes(event.key)) return;
    if (event.key === " " && event.target.closest?.(PRESSED)) return;
    const pressed = event.shiftKey && /^F\d/.test(event.key) ? `Shift+${event.key}` : event.key;
    const binding = groups.flatMap((group) => group.keys).findLast((entry) => entry.key === pressed || others(entry).includes(pressed));
    if (!binding) return;
    event.preventDefault();
    binding.act(event);
  });
}

function others({ also }) {
  return also ? also.split(" ") : [];
}

/** How a key is written in the help. */
export function sign(key) {
  return SIGNS[key] ?? key;
}

/** Opens the help dialog. */
export function help() {
  const dialog = el("dialog", { class: "help", "aria-labelledby": "help-title" });
  const close = el("button", { type: "button", class: "quiet", "aria-label": "Close the help", on: { click: () => dialog.close() } }, icon("close"));
  fill(
    dialog,
    el("header", {}, el("h2", { id: "help-title" }, "Keys"), close),
    el("div", { class: "help-groups" }, groups.map(described)),
  );
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("keydown", (event) => event.key === "?" && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
}

function described({ heading, keys }) {
  const entries = keys.map((entry) => [
    el("dt", {}, [entry.key, ...others(entry)].map((key, at) => [at ? " " : null, el("kbd", {}, sign(key))])),
    el("dd", {}, entry.label),
  ]);
  return el("section", {}, el("h3", {}, heading), el("dl", {}, entries));
}
