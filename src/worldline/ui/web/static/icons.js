// Signs that are drawn, not written: a font may lack their characters, and then a box stands in their place. They take the colour and
// size of the text around them and are hidden from screen readers; the element around them has the words.

const SVG = "http://www.w3.org/2000/svg";
const HEAD = "M8.5 4.5 12 8l-3.5 3.5"; // of an arrow to the right
const UP = "M4.5 7.5 8 4l3.5 3.5";
const DOWN = "M4.5 8.5 8 12l3.5-3.5";

// In a box of 16 by 16: lines, and (`shape`) filled shapes.
const ICONS = {
  alias: { lines: "M5.5 2.5h8v8h-8zM10.5 10.5v3h-8v-8h3" },
  writer: { lines: "M13 12.5V9.5a3.5 3.5 0 0 0-3.5-3.5H3M6.5 2.5 3 6l3.5 3.5" },
  return: { lines: "M13 3v3.5A3.5 3.5 0 0 1 9.5 10H3M6.5 6.5 3 10l3.5 3.5" },
  edit: { lines: "M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3zM9 4.7 11.3 7" },
  start: { lines: "M3 3.5v9M13 8H5.5M9 4.5 5.5 8 9 11.5" },
  end: { lines: "M13 3.5v9M3 8h7.5M7 4.5 10.5 8 7 11.5" },
  back: { lines: "M13 8H4M7.5 4.5 4 8l3.5 3.5" },
  forward: { lines: `M3 8h9${HEAD}` },
  over: { lines: "M2.5 11a5.5 5.5 0 0 1 10.6-1.6M13.5 5.5v4h-4" },
  "back-over": { lines: "M13.5 11A5.5 5.5 0 0 0 2.9 9.4M2.5 5.5v4h4" },
  out: { lines: `M3.5 13.5h9M8 2.5V11${DOWN}` },
  "back-out": { lines: `M3.5 2.5h9M8 13.5V5${UP}` },
  run: { shape: "M4 2.5v11L13.5 8z" },
  "run-back": { shape: "M12 2.5v11L2.5 8z" },
  next: { lines: "M4 3v10l9-5z" },
  waits: { lines: "M5 3.5v9L12 8z" },
  dot: { shape: "M8 3.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9z" },
  up: { shape: "M3 11h10L8 4z" },
  open: { shape: "M3 5h10L8 12z" },
  closed: { shape: "M5 3v10l7-5z" },
  swap: { lines: "M3 5.5h9.5M10 3l2.5 2.5L10 8M13 10.5H3.5M6 8l-2.5 2.5L6 13" },
  close: { lines: "M4 4l8 8M12 4l-8 8" },
  sun: { lines: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1v2M8 13v2M1 8h2M13 8h2M3 3l1.4 1.4M11.6 11.6 13 13M13 3l-1.4 1.4M4.4 11.6 3 13" },
  moon: { shape: "M9.5 2a6 6 0 1 0 4.5 8.2A5.2 5.2 0 0 1 9.5 2z" },
};

/** A drawn sign by name. */
export function icon(name) {
  const { lines, shape } = ICONS[name];
  const drawing = document.createElementNS(SVG, "svg");
  for (const [key, value] of [["viewBox", "0 0 16 16"], ["class", "icon"], ["aria-hidden", "true"], ["focusable", "false"]]) drawing.setAttribute(key, value);
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", lines ?? shape);
  path.setAttribute("class", lines ? "lines" : "shape");
  drawing.append(path);
  return drawing;
}
