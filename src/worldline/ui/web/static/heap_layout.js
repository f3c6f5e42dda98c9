// Where the boxes of a heap stand, and the arrows between them. Boxes stand in columns by their distance from the stack, each as near
// as possible to what refers to it. It measures elements and sets positions; it builds only the arrows.

const SVG = "http://www.w3.org/2000/svg";
const COLUMN_GAP = 56; // px between two columns, for the arrows
const ROW_GAP = 14;
const NARROW = 560; // px; below, the boxes stand under the stack

// The column of each box: one more than that of the last box that refers to it, arrows that close a cycle aside. So a linked list is a
// line, also where a name points into its middle.
function columnsOf(stack, boxes) {
  const order = [];
  const state = new Map(); // id -> whether everything after it is in order
  for (const first of refsOf(stack)) {
    const path = boxes.has(first) && !state.has(first) ? [[first, null]] : [];
    while (path.length) {
      const top = path.at(-1);
      const [id] = top;
      if (!top[1]) {
        state.set(id, false);
        top[1] = refsOf(boxes.get(id)).filter((to) => boxes.has(to))[Symbol.iterator]();
      }
      const { value, done } = top[1].next();
      if (done) {
        state.set(id, true);
        order.unshift(id);
        path.pop();
      } else if (!state.has(value)) path.push([value, null]);
    }
  }
  const place = new Map(order.map((id, at) => [id, at]));
  const columns = new Map(order.map((id) => [id, 0]));
  for (const id of order) {
    for (const to of refsOf(boxes.get(id))) {
      if (place.get(to) > place.get(id)) columns.set(to, Math.max(columns.get(to), columns.get(id) + 1));
    }
  }
  return columns;
}

function refsOf(element) {
  return [...element.querySelectorAll("[data-ref]")].map((dot) => dot.dataset.ref);
}

/** An empty layer for arrows. */
export function arrowLayer(name) {
  const layer = document.createElementNS(SVG, "svg");
  layer.setAttribute("class", `arrows ${name}`);
  layer.setAttribute("aria-hidden", "true");
  return layer;
}

/**
 * Places the boxes in `canvas` beside (or below) `stack`, and draws the arrows: those from the stack pass under the boxes, those from
 * boxes and to an element of one lie over them.
 */
export function layOut({ canvas, stack, boxes, arrows }) {
  const byId = new Map(boxes.map((box) => [box.dataset.id, box]));
  const wide = canvas.parentElement.clientWidth;
  const isNarrow = wide < NARROW;
  canvas.classList.toggle("narrow", isNarrow);
  Object.assign(canvas.style, { width: "auto", height: "auto" });
  const columns = columnsOf(stack, byId);
  const origin = canvas.getBoundingClientRect();
  const left = isNarrow ? 24 : stack.offsetLeft + stack.offsetWidth + COLUMN_GAP;
  const top = isNarrow ? stack.offsetTop + stack.offsetHeight + 28 : 0;
  const spots = new Map(); // id -> {y, column} of the first dot in the nearest column that refers to it
  const edges = new Map(); // id -> the right edge of what refers to it from an earlier column
  const note = (element, column, edge) => {
    for (const dot of element.querySelectorAll("[data-ref]")) {
      const { ref } = dot.dataset;
      if (columns.get(ref) > column) edges.set(ref, Math.max(edges.get(ref) ?? 0, edge));
      if (columns.get(ref) > column && (spots.get(ref)?.column ?? -2) < column) spots.set(ref, { column, y: dot.getBoundingClientRect().top - origin.top });
    }
  };
  note(stack, -1, left - COLUMN_GAP);
  const placed = []; // the boxes of earlier columns
  let x = left;
  let bottom = stack.offsetTop + stack.offsetHeight;
  for (let column = 0; ; column += 1) {
    const here = boxes.filter((box) => columns.get(box.dataset.id) === column);
    if (!here.length) break;
    const wish = (box) => spots.get(box.dataset.id)?.y ?? top;
    here.sort((a, b) => wish(a) - wish(b));
    let y = top;
    const rects = here.map((box) => {
      const rect = { box, y: Math.max(y, isNarrow && column === 0 ? y : wish(box) - 8), w: box.offsetWidth, h: box.offsetHeight };
      y = rect.y + rect.h + ROW_GAP;
      return rect;
    });
    bottom = Math.max(bottom, y);
    // A wide box that refers to none of these does not push them away.
    const near = Math.max(...here.map((box) => edges.get(box.dataset.id) ?? 0)) + COLUMN_GAP;
    const isFree = rects.every((rect) => placed.every((other) => near >= other.right + ROW_GAP || rect.y >= other.bottom || rect.y + rect.h <= other.y));
    const at = isFree ? Math.min(near, x) : x;
    for (const { box, y: from, w, h } of rects) {
      Object.assign(box.style, { left: `${at}px`, top: `${from}px` });
      note(box, column, at + w);
      placed.push({ right: at + w, y: from, bottom: from + h + ROW_GAP });
    }
    x = Math.max(...placed.map((other) => other.right)) + COLUMN_GAP;
  }
  const width = Math.max(wide, x - COLUMN_GAP + 12);
  Object.assign(canvas.style, { width: width > wide ? `${width}px` : "auto", height: `${bottom + 8}px` });
  drawArrows({ canvas, stack, byId, arrows, width: Math.max(width, canvas.clientWidth), height: bottom + 8 });
}

function drawArrows({ canvas, stack, byId, arrows, width, height }) {
  const origin = canvas.getBoundingClientRect();
  const rect = (element) => {
    const { left, top, width: w, height: h } = element.getBoundingClientRect();
    return { x: left - origin.left, y: top - origin.top, w, h };
  };
  const lines = { under: [], over: [] };
  for (const dot of canvas.querySelectorAll("[data-ref]")) {
    const target = targetOf(dot, stack, byId);
    dot.classList.toggle("loose", !target);
    const layer = stack.contains(dot) && dot.dataset.at === undefined ? lines.under : lines.over;
    if (target) layer.push(...arrow(rect(dot), rect(target), dot));
  }
  for (const [name, layer] of Object.entries(arrows)) {
    layer.setAttribute("width", width);
    layer.setAttribute("height", height);
    layer.replaceChildren(...lines[name]);
  }
}

// A box, one of its elements, or the name that a pointer points to.
function targetOf({ dataset: { ref, at } }, stack, byId) {
  const box = byId.get(ref);
  if (!box) return [...stack.querySelectorAll("[data-root]")].find((name) => name.dataset.root === ref) ?? null;
  return (at !== undefined && box.querySelector(`[data-key="[${at}]"]`)) || box.querySelector("h4");
}

function arrow(from, to, dot) {
  const start = { x: from.x + from.w / 2, y: from.y + from.h / 2 };
  const isAhead = to.x > start.x + 8;
  const end = { x: isAhead ? to.x - 2 : to.x + to.w + 2, y: to.y + Math.min(to.h / 2, 12) };
  const reach = Math.max(28, Math.abs(end.x - start.x) / 2);
  const bend = isAhead ? -reach : reach;
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("class", `arrow${dot.classList.contains("changed") ? " changed" : ""}`);
  path.setAttribute("d", `M${start.x} ${start.y} C${start.x + reach} ${start.y} ${end.x + bend} ${end.y} ${end.x} ${end.y}`);
  path.dataset.to = dot.dataset.ref;
  const head = document.createElementNS(SVG, "path");
  const back = isAhead ? -7 : 7;
  head.setAttribute("class", `arrow-head${dot.classList.contains("changed") ? " changed" : ""}`);
  head.setAttribute("d", `M${end.x} ${end.y} l${back} -4 v8 z`);
  head.dataset.to = dot.dataset.ref;
  return [path, head];
}
