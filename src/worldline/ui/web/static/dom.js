// Building elements, and showing hostile text. Programs and models write what is shown here, so text enters the page by
// textContent alone, and characters that hide or reorder their neighbours are shown as escapes. No state, no layout.

/** Maximum length of a text in one element; the rest is counted, not shown. */
const MAX_CHARS = 4000;

// C0 and C1 controls, soft hyphen, bidi marks and isolates, zero-width and invisible characters, line separators, tags.
const HIDDEN = new RegExp(
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f"
  + "\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\ud800-\\udfff\\u{e0000}-\\u{e0fff}]",
  "gu",
);

/** The text with its hidden characters as visible escapes; newlines and tabs stay. */
export function visible(text) {
  return text.replace(HIDDEN, escaped);
}

/** The same for a text that stands on one line: newlines and tabs are escapes too. */
export function oneLine(text) {
  return visible(text).replace(/\n/g, "\\n").replace(/\t/g, "\\t");
}

function escaped(character) {
  const code = character.codePointAt(0);
  if (code < 0x100) return "\\x" + code.toString(16).padStart(2, "0");
  if (code < 0x10000) return "\\u" + code.toString(16).padStart(4, "0");
  return "\\U" + code.toString(16).padStart(8, "0");
}

/** Shortens a text, and says how many characters are missing. */
export function cut(text, maxChars = MAX_CHARS) {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, maxChars)} …<${count(text.length - maxChars)} more>`;
}

/**
 * An element. `set` holds `class`, `on` ({event: listener}), `data` ({name: value}), properties of the element by their own
 * names, and attributes by theirs (aria-*, role, for). Children are elements, texts (made visible) or nothing.
 */
export function el(tag, set = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(set)) {
    if (value === undefined || value === null) continue;
    if (name === "class") node.className = value;
    else if (name === "on") for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
    else if (name === "data") Object.assign(node.dataset, value);
    else if (name in node && !name.startsWith("aria")) node[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...shown(children));
  return node;
}

/** Replaces what an element holds. */
export function fill(element, ...children) {
  element.replaceChildren(...shown(children));
  return element;
}

function shown(children) {
  const flat = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
  return flat.map((child) => (child instanceof Node ? child : visible(cut(String(child)))));
}

/** Whether an element accepts typed text. */
export function typesInto(element) {
  if (!(element instanceof HTMLElement)) return false;
  if (element.isContentEditable || element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement) return true;
  return element instanceof HTMLInputElement && !["range", "checkbox", "radio", "button", "submit"].includes(element.type);
}

const NUMBERS = new Intl.NumberFormat("en"); // made once: making one costs more than a hundred uses

/** A number with thousands separators. */
export function count(n) {
  return NUMBERS.format(n);
}

/** A probability as a percentage; "" if there is none. */
export function percent(p) {
  if (p === null || p === undefined) return "";
  if (p > 0.9995 && p < 1) return ">99.9 %";
  return `${(100 * p).toFixed(p < 0.1 || (p > 0.99 && p < 1) ? 1 : 0)} %`;
}

/** A count with a noun in singular or plural. */
export function plural(n, singular, several = `${singular}s`) {
  return `${count(n)} ${n === 1 ? singular : several}`;
}
