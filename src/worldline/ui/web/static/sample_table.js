// The samples of a run as a windowed table with sortable columns. The API filters and sorts.

import { api } from "./api.js";
import { count, cut, el, fill, oneLine } from "./dom.js";
import { sampleQuery, sampleHref } from "./filters.js";
import { Windowed } from "./windowed.js";

export const CHUNK = 100;
const NARROW = "(max-width: 700px)";
const MARKS = { true: ["✓", "right"], false: ["✗", "wrong"], null: ["–", "not judged"] };

/** The columns: what sorts them, their head, and whether they are numbers. */
const COLUMNS = [
  { key: "at", head: "#", sort: "at", number: true },
  { key: "name", head: "sample", sort: "name" },
  { key: "answer", head: "answer", sort: null, mark: true },
  { key: "trace", head: "trace", sort: null, mark: true },
  { key: "cause", head: "cause", sort: "cause" },
  { key: "agreed", head: "agreed", sort: "agreed", number: true },
  { key: "steps", head: "steps", sort: "steps", number: true },
  { key: "depth", head: "depth", sort: "depth", number: true },
  { key: "bytes", head: "bytes", sort: "bytes", number: true },
];

/** A table in `root`. `onSort(key, order)`, `onOpen(sample)`, `onActive(index)`, `onError(error)`. */
export class SampleTable {
  constructor({ root, run, state, onSort, onOpen, onActive, onError }) {
    Object.assign(this, { root, run, state, onSort, onOpen, onActive, onError });
    this.narrow = matchMedia(NARROW);
    this.listeners = new AbortController();
    this.narrow.addEventListener("change", () => this.build(this.list?.count ?? 0, null), { signal: this.listeners.signal });
    this.build(0, []);
  }

  build(total, rows) {
    this.list?.dispose();
    this.heads = new Map();
    const head = el("div", { class: "samples-head samples-row", role: "row", "aria-rowindex": "1" }, COLUMNS.map((column) => this.headOf(column)));
    this.list = new Windowed({
      root: this.root, head, rowHeight: this.narrow.matches ? 58 : 34, count: 0, chunk: CHUNK, headRows: 1, label: "Samples",
      load: (k, signal) => this.load(k, signal), render: (element, sample) => this.draw(element, sample),
      onOpen: (index, sample) => sample && this.onOpen(sample), onActive: (index) => this.onActive(index), onError: this.onError,
    });
    if (rows) this.show(this.state, { total, samples: rows });
    else {
      this.list.reset({ count: total });
      this.sortMarks();
    }
  }

  headOf({ key, head, sort, number, mark }) {
    const cell = el("span", { role: "columnheader", class: `c-${key}${number ? " number" : ""}${mark ? " mark" : ""}` });
    if (!sort) return fill(cell, head);
    const button = el("button", { type: "button", class: "sorter", tabIndex: 0, on: { click: () => this.sortBy(sort) } }, head);
    this.heads.set(sort, cell);
    return fill(cell, button);
  }

  /** Sorts by a column; again reverses the order, and a third time restores the order of the run. */
  sortBy(sort) {
    const same = (this.state.sort ?? "at") === sort;
    const down = same && this.state.order === "desc";
    if (down && sort !== "at") this.onSort(null, null);
    else this.onSort(sort, same && !down ? "desc" : "asc");
  }

  /** Another list: its state and its first answer ({total, samples}). `row` becomes the active one. */
  show(state, { total, samples }, row = null) {
    this.state = state;
    this.list.reset({ count: total, top: true, rows: samples });
    this.root.classList.toggle("with-other", Boolean(state.other));
    this.sortMarks();
    if (row !== null && row < total) this.list.setActive(row, { scroll: "center" });
  }

  sortMarks() {
    for (const [sort, cell] of this.heads) {
      const chosen = (this.state.sort ?? "at") === sort;
      const order = this.state.order === "desc" ? "descending" : "ascending";
      cell.setAttribute("aria-sort", chosen ? order : "none");
    }
  }

  async load(k, signal) {
    const params = { ...sampleQuery(this.state), offset: k * CHUNK, count: CHUNK };
    return (await api.samples(this.run, params, signal)).samples;
  }

  draw(element, sample) {
    element.classList.add("samples-row");
    if (!sample) {
      fill(element, el("span", { class: "c-name skeleton", role: "gridcell" }, "…"));
      return;
    }
    fill(element, COLUMNS.map((column) => this.cell(column, sample)));
    element.dataset.at = sample.at;
  }

  cell({ key, number, mark }, sample) {
    const cell = el("span", { role: "gridcell", class: `c-${key}${number ? " number" : ""}${mark ? " mark" : ""}` });
    if (key === "name") return this.nameCell(cell, sample);
    if (key === "cause") return this.causeCell(cell, sample);
    if (mark) return this.markCell(cell, key, sample);
    if (key === "agreed") return this.agreedCell(cell, sample);
    const value = sample[key];
    return fill(cell, value === null || value === undefined ? "–" : count(value));
  }

  nameCell(cell, sample) {
    const link = el("a", { href: sampleHref(this.run, sample.at, this.state), tabIndex: -1 }, oneLine(cut(sample.name, 120)));
    const call = sample.call && !sample.name.includes(sample.call) ? el("code", { class: "call" }, oneLine(cut(sample.call, 160))) : null;
    return fill(cell, link, call);
  }

  causeCell(cell, sample) {
    const about = [sample.operation, sample.type].filter((word) => word && word !== "none").join(" · ");
    if (sample.cause === "right") cell.classList.add("fine");
    return fill(cell, sample.cause ?? "–", about ? el("small", {}, ` ${oneLine(cut(about, 60))}`) : null);
  }

  markCell(cell, key, sample) {
    const shown = [verdict(sample[key], "")];
    if (sample.other) shown.push(el("span", { class: "then", "aria-hidden": "true" }, "→"), verdict(sample.other[key], " in the other run"));
    return fill(cell, shown);
  }

  agreedCell(cell, sample) {
    const { agreed, steps } = sample;
    if (agreed === null || agreed === undefined) return fill(cell, "–");
    const track = el("span", { class: "agreed-bar", "aria-hidden": "true" }, el("span"));
    track.firstChild.style.width = `${steps ? Math.min(100, (100 * agreed) / steps) : 100}%`;
    return fill(cell, count(agreed), track);
  }

  /** Focuses the table. */
  focus() {
    if (this.list.active < 0 && this.list.count) this.list.setActive(0, { silent: false });
    this.root.focus();
  }

  dispose() {
    this.listeners.abort();
    this.list.dispose();
  }
}

function verdict(value, where) {
  const [mark, word] = MARKS[String(value ?? null)];
  return el("span", { class: `verdict ${word === "right" ? "good" : word === "wrong" ? "bad" : "none"}`, role: "img", "aria-label": `${word}${where}` }, mark);
}
