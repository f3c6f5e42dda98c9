// The timeline of one run: the call depth as a silhouette, marks for changes, search hits and differences, and the current step. Click
// and drag move; a slider does the same for keyboards and screen readers.

import { count, el } from "./dom.js";
import { drags } from "./timeline.js";

const SVG = "http://www.w3.org/2000/svg";
const TALL = 44;
const MAX_MARKS = 2000;

/** The timeline; calls `seek(row)` for a selected row, `seek(row, true)` while dragging. */
export function runTimeline({ seek }) {
  const picture = shape("svg", { class: "silhouette", viewBox: `0 0 1 ${TALL}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  const slider = el("input", {
    type: "range", min: 0, step: 1, id: "slider", "aria-label": "Step",
    on: { input: () => seek(Number(slider.value), true), change: () => seek(Number(slider.value)) },
  });
  const depths = shape("path", { class: "depths" });
  const marks = shape("g", {});
  const here = shape("line", { class: "here", y1: 0, y2: TALL });
  picture.append(depths, marks, here);
  const element = el("section", { class: "run-timeline", "aria-label": "Timeline: call depth by step" }, picture, slider);
  let rows = 1;
  let drawn = null;
  drags(picture, (x, still) => seek(Math.max(0, Math.min(rows - 1, Math.floor((x / picture.clientWidth) * rows))), still));

  /** Shows a step: {overview, row, hits, changed, spoken}; `hits` and `changed` are rows to mark. */
  function render({ overview, row, hits, changed, spoken }) {
    rows = overview.rows;
    if (drawn?.overview !== overview) {
      picture.setAttribute("viewBox", `0 0 ${Math.max(1, rows)} ${TALL}`);
      depths.setAttribute("d", silhouette(overview));
    }
    if (drawn?.overview !== overview || drawn.hits !== hits || drawn.changed !== changed) {
      marks.replaceChildren(...marked(overview.differing, "differing", 0), ...marked(hits, "hit", 4), ...marked(changed, "change", 14));
    }
    drawn = { overview, hits, changed };
    here.setAttribute("x1", row + 0.5);
    here.setAttribute("x2", row + 0.5);
    slider.max = String(Math.max(0, rows - 1));
    slider.value = String(row);
    slider.disabled = rows < 2;
    slider.setAttribute("aria-valuetext", `step ${count(row)} of ${count(Math.max(0, rows - 1))}: ${spoken}`);
  }

  return { element, render, slider };
}

function shape(tag, attributes) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

// Deeper is taller.
function silhouette({ depths, per, rows }) {
  const deepest = Math.max(1, ...depths) + 1;
  const tops = depths.map((depth, at) => {
    const y = TALL - ((depth + 1) / deepest) * (TALL - 8);
    return `L${at * per} ${y} L${Math.min(rows, (at + 1) * per)} ${y}`;
  });
  return `M0 ${TALL} ${tops.join(" ")} L${rows} ${TALL} Z`;
}

function marked(rows, kind, top) {
  return rows.slice(0, MAX_MARKS).map((row) => shape("line", { class: `mark ${kind}`, x1: row + 0.5, x2: row + 0.5, y1: top, y2: top + 9 }));
}
