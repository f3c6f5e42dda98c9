// One run: its rates by horizon, depth, type and the rest beside the table of its samples; each figure filters the table.
//
// The state is the address (filters.js), so that a link shows the same. The API counts, filters and sorts; stale answers
// are dropped.

import { api, ApiError } from "./api.js";
import { barTable, interval, rate, shareText } from "./bars.js";
import { count, el, fill, plural } from "./dom.js";
import { FilterForm } from "./filter_form.js";
import { sampleQuery, changed, filtersOf, overviewHref, sampleHref, stateOf } from "./filters.js";
import { flipPanel, otherChoice } from "./flips.js";
import { latest } from "./latest.js";
import { shareOf } from "./share.js";
import { CHUNK, SampleTable } from "./sample_table.js";

const QUIET = 400; // ms without a change before a count is announced
// What is tallied, its title, a note, the filters that tell its buckets apart, and whether a bar is the bucket's own share.
const PANELS = [
  ["horizon", "By length", "steps of the true trace", ["steps_min", "steps_max"]],
  ["depth", "By depth", "of calls", ["depth", "depth_min", "depth_max"]],
  ["type", "By type", "of the answer", ["type"]],
  ["cause", "Causes", "share of the samples", ["cause"], true],
  ["operation", "Operations", "of failures", ["operation"], true],
  ["suite", "By suite", "", ["suite"]],
  ["ending", "By ending", "of the prediction", ["ending"]],
];
const MEASURES = { answer: "answers", trace: "whole traces" };

/** Show a run. */
export async function show(root, route, context) {
  const [, run] = route.path;
  const { runs } = await api.runs();
  const about = runs.find((one) => one.id === run);
  if (!about) throw new ApiError("unknown", "There is no such run. Go back to the list of runs.", 404);
  const view = new Overview(root, about, runs, context);
  view.start(stateOf(route));
  return { dispose: () => view.dispose(), update: (next) => view.apply(stateOf(next)) };
}

class Overview {
  constructor(root, about, runs, context) {
    Object.assign(this, { root, about, runs, context, run: about.id, figures: null });
    this.build();
    this.lists = latest((state, signal) => api.samples(this.run, { ...sampleQuery(state), offset: 0, count: CHUNK }, signal),
      (answer, state) => this.showSamples(answer, state), (error) => this.fail(error));
    this.sums = latest((state, signal) => api.overview(this.run, { ...filtersOf(state), other: state.other }, signal),
      (answer, state) => this.showFigures(answer, state), (error) => this.fail(error));
    context.crumbs?.([{ label: "runs", href: "#/" }, { label: about.name }]);
    context.keys?.("Run", this.keys());
  }

  build() {
    const { about } = this;
    this.heading = el("div", { class: "run-head" });
    this.figuresBox = el("div", { class: "run-figures" });
    const folded = el("details", { class: "run-fold" }, el("summary", {}, "Rates by length, depth, type, cause"), this.figuresBox);
    folded.open = !matchMedia("(max-width: 900px)").matches;
    this.folded = folded;
    const filters = el("div");
    const chips = el("div", { class: "chips", "aria-label": "Active filters", role: "group" });
    this.total = el("span", { class: "run-total soft" });
    this.problem = el("p", { class: "problem", role: "alert", hidden: true });
    const grid = el("div", { class: "samples" });
    fill(this.root, el("div", { class: "run" },
      el("div", { class: "run-title" }, el("h1", {}, about.name), el("p", { class: "soft" }, described(about)), this.heading),
      folded,
      el("section", { class: "run-samples", "aria-label": "Samples" }, filters, this.problem, el("div", { class: "run-chosen" }, this.total, chips), grid)));
    this.form = new FilterForm({ root: filters, chips, change: (part, how) => this.go(changed(this.state, part), null, how), leave: () => this.table.focus() });
    this.form.more.hidden = about.live; // a few typed programs are only searched
    this.table = new SampleTable({
      root: grid, run: this.run, state: {}, onError: (error) => this.fail(error), onOpen: (sample) => this.context.go(sampleHref(this.run, sample.at, this.state)),
      onActive: (index) => this.keepRow(index), onSort: (sort, order) => this.go(changed(this.state, { sort, order })),
    });
    this.grid = grid;
  }

  keys() {
    return [
      { key: "/", label: "search the samples", act: () => this.form.focus("search") },
      { key: "f", label: "filter the samples", act: () => this.form.focus("choice") },
      { key: "c", label: "clear all filters", act: () => this.form.clear(this.state) },
      { key: "s", label: "sort by the next column", act: () => this.sortNext() },
      { key: "S", label: "reverse the order", act: () => this.go(changed(this.state, { sort: this.state.sort ?? "at", order: this.state.order === "desc" ? "asc" : "desc" })) },
      { key: "m", label: "answers or whole traces", act: () => this.go(changed(this.state, { measure: this.measure() === "answer" ? "trace" : "answer", row: this.state.row ?? null })) },
      { key: "o", label: "compare with another run", act: () => this.heading.querySelector("select")?.focus() },
      { key: "ArrowDown", also: "j", label: "move to the table; Enter opens a sample", act: () => this.table.focus() },
    ];
  }

  sortNext() {
    const order = ["at", "name", "cause", "agreed", "steps", "depth", "bytes"];
    const next = order[(order.indexOf(this.state.sort ?? "at") + 1) % order.length];
    this.go(changed(this.state, { sort: next === "at" ? null : next, order: null }));
    this.context.announce?.(`sorted by ${next}`);
  }

  measure() {
    return this.state.measure === "trace" ? "trace" : "answer";
  }

  start(state) {
    const bare = !Object.keys(filtersOf(state)).length;
    this.apply(state);
    if (!bare) api.overview(this.run, {}).then((whole) => this.offer(whole), (error) => this.fail(error));
  }

  /** Go to a state: the address says it, the answers follow. `link`: what was clicked, to give the focus back to. */
  go(state, link = null, { typing = false } = {}) {
    this.focusOn = link?.getAttribute("aria-label") ?? null;
    if (state.other && !this.state.other) { // what was asked for must be seen
      this.folded.open = true;
      this.figuresBox.scrollTop = 0;
    }
    this.context.address?.(overviewHref(this.run, state), { push: !typing });
    this.apply(state);
  }

  apply(state) {
    const before = this.state;
    this.state = state;
    this.form.show(state);
    const same = before && JSON.stringify(sampleQuery(before)) === JSON.stringify(sampleQuery(state));
    if (!same) {
      this.busy(true);
      this.lists.ask(state);
    }
    if (same && this.figures) this.drawFigures();
  }

  // The figures are asked for when the samples are in sight, so that neither waits for the other's sums.
  askFigures(state) {
    const counted = JSON.stringify([filtersOf(state), state.other ?? null]);
    if (counted !== this.counted) this.sums.ask(state);
    else if (this.figures) this.showFigures(this.figures, state);
    this.counted = counted;
  }

  showSamples(answer, state) {
    this.problem.hidden = true;
    this.askFigures(state);
    this.table.show(state, answer, state.row ? Number(state.row) : null);
    this.grid.removeAttribute("aria-busy");
    const whole = answer.total === this.about.samples ? "" : ` of ${count(this.about.samples)}`;
    fill(this.total, `${count(answer.total)}${whole} samples`);
    clearTimeout(this.quiet);
    this.quiet = setTimeout(() => this.context.announce?.(`${plural(answer.total, "sample")}${whole}`), QUIET);
  }

  busy(on) {
    for (const element of [this.grid, this.figuresBox]) {
      if (on) element.setAttribute("aria-busy", "true");
      else element.removeAttribute("aria-busy");
    }
  }

  showFigures(figures, state) {
    this.figuresBox.removeAttribute("aria-busy");
    this.figures = figures;
    if (!Object.keys(filtersOf(state)).length) this.offer(figures);
    this.drawFigures();
  }

  offer(whole) {
    this.form.offer(whole.by);
    this.form.show(this.state);
  }

  drawFigures() {
    const { figures, state, run, runs } = this;
    const go = (next, link) => this.go(next, link);
    const held = this.heading.contains(document.activeElement);
    fill(this.heading, headline("answers right", figures.answer), headline("whole traces right", figures.trace), otherChoice({ run, runs, state, go }));
    if (held) this.heading.querySelector("select")?.focus();
    const flips = figures.flips && state.other ? flipPanel({ flips: figures.flips, run, runs, state, go }) : null;
    const panels = PANELS.filter(([key]) => (figures.by[key] ?? []).length).map((panel) => this.panel(panel, go));
    const notes = (figures.notes ?? []).map((note) => el("p", { class: "soft bars-more" }, note));
    fill(this.figuresBox, flips, this.measureChoice(), el("div", { class: "bars-all" }, panels), notes);
    if (this.focusOn) [...this.root.querySelectorAll("a[aria-label]")].find((a) => a.getAttribute("aria-label").split(":")[0] === this.focusOn.split(":")[0])?.focus();
    this.focusOn = null;
  }

  panel([key, title, note, keys, isShare], go) {
    const { figures, state, run } = this;
    const measure = isShare ? (bucket) => shareOf(bucket.n, figures.of[key]) : (bucket) => bucket[this.measure()];
    return barTable({ title, note, keys, more: figures.more?.[key], buckets: figures.by[key], measure, kind: isShare ? "share" : "", state, run, go });
  }

  measureChoice() {
    const buttons = Object.entries(MEASURES).map(([key, words]) =>
      el("button", { type: "button", "aria-pressed": String(this.measure() === key), on: { click: () => this.go(changed(this.state, { measure: key === "answer" ? null : key, row: this.state.row ?? null })) } }, words));
    const word = (text) => el("span", { class: "soft" }, text);
    return el("div", { class: "measures", role: "group", "aria-label": "What the bars measure" }, word("share of"), buttons, word("that are right"));
  }

  keepRow(index) {
    this.state = { ...this.state, row: String(index) };
    this.context.address?.(overviewHref(this.run, this.state));
  }

  fail(error) {
    this.busy(false);
    this.problem.hidden = false;
    fill(this.problem, error.message);
  }

  dispose() {
    clearTimeout(this.quiet);
    this.lists.stop();
    this.sums.stop();
    this.table.dispose();
  }
}

function described(about) {
  return [about.suite, about.model, plural(about.samples, "sample")].filter(Boolean).join(" · ");
}

function headline(words, share) {
  return el("div", { class: "headline", title: shareText(share) }, el("b", {}, rate(share)), el("span", {}, words),
    el("small", { class: "soft" }, `${count(share.some)} of ${count(share.n)}${share.n ? `, ${interval(share)}` : ""}`));
}
