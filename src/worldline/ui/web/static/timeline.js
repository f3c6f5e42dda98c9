// The timeline: all rows on one canvas with lanes for actions, states and confidence, the first divergence and the current row.
// Click and drag move; a slider does the same for keyboards and screen readers.
// Right, consequential and wrong differ by height and texture, not by colour alone.

import { count, el } from "./dom.js";
import { word } from "./now.js";
import { theme } from "./theme.js";

const LANES = [["actions", 0, 26], ["states", 32, 26], ["confidence", 64, 26]];
const TALL = 98;
const KINDS = ["right", "wrong", "consequential", "open"]; // CODES of ui/session/timeline.py
const HIGH = { right: 0.28, consequential: 0.62, wrong: 1, open: 0.08 };

/** A timeline with the control of the sides; calls `seek(row)` for a selected row, `seek(row, true)` while dragging. */
export function timelinePanel({ seek, sides }) {
  const canvas = el("canvas", { class: "lanes", height: TALL, "aria-hidden": "true" });
  const slider = el("input", {
    type: "range", min: 0, step: 1, id: "slider", "aria-label": "Step",
    on: { input: () => seek(Number(slider.value), true), change: () => seek(Number(slider.value)) },
  });
  const meaning = [...KINDS.map((kind) => [kind, word(kind)]), ["first", "first divergence"], ["here", "this step"]];
  const legend = el("ul", { class: "legend" }, meaning.map(([kind, words]) => el("li", { class: kind }, el("i", { "aria-hidden": "true" }), words)));
  const labels = el("div", { class: "lane-names", "aria-hidden": "true" }, LANES.map(([name]) => el("span", {}, name)));
  const element = el("section", { class: "timeline", "aria-label": "Timeline" },
    labels, el("div", { class: "lane-box" }, canvas, slider), el("div", { class: "under-lanes" }, legend, sides.element));
  const lanes = document.createElement("canvas");
  const panel = { element, slider, data: null, row: 0, render, dispose };

  const colours = () => Object.fromEntries([...legend.children].map((item) => [item.className, getComputedStyle(item.firstElementChild).color]));
  const sizes = new ResizeObserver(() => draw());
  sizes.observe(canvas);
  document.addEventListener("themechange", draw);
  drags(canvas, (x, still) => panel.data && seek(rowAt(x), still));

  function rowAt(x) {
    const rows = panel.data.rows;
    return Math.max(0, Math.min(rows - 1, Math.floor((x / canvas.clientWidth) * rows)));
  }

  function render({ timeline, row, current }) {
    panel.data = timeline;
    panel.row = row;
    slider.max = String(Math.max(0, timeline.rows - 1));
    slider.value = String(row);
    slider.disabled = timeline.rows < 2;
    slider.setAttribute("aria-valuetext", `step ${count(row)} of ${count(Math.max(0, timeline.rows - 1))}: action ${word(current.action)}, state ${word(current.state)}`);
    draw();
  }

  // The lanes are painted once; a step only moves the line over them.
  function draw() {
    if (!panel.data || !canvas.clientWidth) return;
    const wide = canvas.clientWidth;
    const ratio = devicePixelRatio || 1;
    const key = [wide, ratio, theme()].join();
    if (panel.painted !== panel.data || panel.key !== key) {
      Object.assign(panel, { painted: panel.data, key, colours: colours() });
      for (const surface of [canvas, lanes]) Object.assign(surface, { width: Math.round(wide * ratio), height: Math.round(TALL * ratio) });
      const brush = lanes.getContext("2d");
      brush.scale(ratio, ratio);
      paintLanes(brush, wide, panel.data, panel.colours);
    }
    const brush = canvas.getContext("2d");
    brush.setTransform(1, 0, 0, 1, 0, 0);
    brush.clearRect(0, 0, canvas.width, canvas.height);
    brush.drawImage(lanes, 0, 0);
    brush.scale(ratio, ratio);
    paintHere(brush, wide / Math.max(1, panel.data.rows), panel.row, panel.colours.here);
  }

  function dispose() {
    sizes.disconnect();
    document.removeEventListener("themechange", draw);
  }

  return panel;
}

/** Calls `seek(x, dragging)` while a pointer is dragged over an element, with its place in it. */
export function drags(canvas, seek) {
  const x = (event) => event.clientX - canvas.getBoundingClientRect().left;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    seek(x(event), true);
  });
  canvas.addEventListener("pointermove", (event) => canvas.hasPointerCapture(event.pointerId) && seek(x(event), true));
  canvas.addEventListener("pointerup", (event) => canvas.hasPointerCapture(event.pointerId) && seek(x(event), false));
}

function paintLanes(brush, width, { rows, per, bins, first }, colours) {
  const wide = width / Math.max(1, rows);
  const gap = wide * per > 4 ? 1 : 0;
  for (const [name, top, high] of LANES) {
    brush.fillStyle = colours.first;
    brush.globalAlpha = 0.14;
    brush.fillRect(0, top + high, width, 1);
    brush.globalAlpha = 1;
    bins.forEach((bin, at) => {
      const x = at * per * wide;
      const w = Math.max(0.75, Math.min(per, rows - at * per) * wide - gap);
      if (name === "confidence") confidence(brush, x, top, w, high, bin[2], colours);
      else bar(brush, x, top, w, high, KINDS[bin[name === "actions" ? 0 : 1]], colours);
    });
  }
  if (bins.some((bin) => bin[4]) && bins.every((bin) => bin[2] === null)) noConfidence(brush, colours);
  if (first !== null && first !== undefined) flag(brush, (first + 0.5) * wide, colours.first);
}

function paintHere(brush, wide, row, colour) {
  brush.fillStyle = colour;
  brush.globalAlpha = 0.18;
  brush.fillRect(row * wide, 0, Math.max(wide, 3), TALL);
  brush.globalAlpha = 1;
  brush.fillRect((row + 0.5) * wide - 0.75, 0, 1.5, TALL);
}

// A thin line: nothing to compare. Low and plain: right. Half as high and hatched: consequential. Full and solid: wrong.
function bar(brush, x, top, w, high, kind, colours) {
  const h = high * HIGH[kind];
  brush.fillStyle = colours[kind];
  if (kind !== "consequential") {
    brush.globalAlpha = kind === "right" ? 0.6 : 1;
    brush.fillRect(x, top + high - h, w, h);
  } else {
    brush.globalAlpha = 0.35;
    brush.fillRect(x, top + high - h, w, h);
    brush.globalAlpha = 1;
    for (let y = top + high - h; y < top + high; y += 4) brush.fillRect(x, y, w, 1.5);
  }
  brush.globalAlpha = 1;
}

function confidence(brush, x, top, w, high, p, colours) {
  if (p === null || p === undefined) return;
  brush.fillStyle = colours.here;
  brush.globalAlpha = 0.25;
  brush.fillRect(x, top + high * (1 - p), w, high * p);
  brush.globalAlpha = 1;
  brush.fillRect(x, top + high * (1 - p), w, 1.5);
}

// An empty lane would look like no confidence at all.
function noConfidence(brush, colours) {
  brush.fillStyle = colours.first;
  brush.globalAlpha = 0.7;
  brush.font = "12px system-ui, sans-serif";
  brush.fillText("not recorded", 0, LANES[2][1] + 18);
  brush.globalAlpha = 1;
}

function flag(brush, x, colour) {
  brush.fillStyle = colour;
  brush.beginPath();
  brush.moveTo(x - 5, 0);
  brush.lineTo(x + 5, 0);
  brush.lineTo(x, 9);
  brush.closePath();
  brush.fill();
}
