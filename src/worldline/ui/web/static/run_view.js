// The view of one run: source, frames and objects, output, and a timeline to drag. It holds the place (the step, the selection, the
// search), loads what is to be shown, and passes it to the panels. With a model, what it predicts otherwise stands beside.

import { cut, el, fill, oneLine, plural } from "./dom.js";
import { Growth } from "./growth.js";
import { heapPanel } from "./heap.js";
import { icon } from "./icons.js";
import { sign } from "./keys.js";
import { MOVES } from "./moves.js";
import { RunChanges } from "./run_changes.js";
import { changesPanel, searchField } from "./run_find.js";
import { runOutput } from "./run_output.js";
import { RunRows } from "./run_rows.js";
import { runTimeline } from "./run_timeline.js";
import { fileOf, sourcePanel } from "./source.js";

const ADDRESS = 200; // ms after the last move until the address is written: browsers refuse more than a few a second
const NO_ROWS = [];
const EVENTS = { call: "calls", line: "executes", return: "returns from", raise: "raises in", yield: "yields from", resume: "resumes", output: "prints in", input: "reads input in", exit: "exits in" };
const ENDINGS = { returned: "The program ended.", raised: "The program ended with an exception.", exited: "The program exited.", killed: "The program was killed.", limit: "The recording stopped at a limit.", unsupported: "The recording stopped." };

/** Shows a run. */
export async function show(root, route, context) {
  const view = new RunPage(root, route, context);
  await view.open();
  return view;
}

class RunPage {
  constructor(root, { path, params }, context) {
    Object.assign(this, { root, context, api: context.api, run: path[1], at: path[3] });
    this.row = stepOf(params) ?? 0;
    this.wanted = this.row;
    this.words = "";
    this.hits = this.changedRows = NO_ROWS;
    this.selected = null;
    this.growth = new Growth({ api: this.api, run: this.run, at: this.at, grown: (id, report) => this.grown(report), done: () => this.reload(), failed: (id, error) => this.fail(error) });
  }

  async open() {
    this.session = await this.api.sample(this.run, this.at);
    const isRunning = this.session.branches[0].status === "running";
    this.build();
    for (const [heading, keys] of this.keys()) this.context.keys(heading, keys);
    const { name, program } = this.session;
    this.context.crumbs([{ label: "runs", href: "#/" }, { label: oneLine(cut(program.call && !name.includes(program.call) ? `${name} ${program.call}` : name, 120)) }]);
    if (isRunning) this.growth.follow(0);
    await this.load(isRunning);
  }

  build() {
    const seek = (row, still) => this.seek(row, { still });
    this.moves = MOVES.map((item) => [item, el("button", {
      type: "button", class: "move", title: `${item.label} (${sign(item.key)})`, "aria-label": item.label, data: { move: item.name }, on: { click: () => this.move(item) },
    }, icon(item.icon))]);
    this.where = el("span", { class: "where" });
    this.ending = el("span", { class: "soft ending" });
    this.search = searchField({ find: (words) => this.find(words), move: (step) => this.nextHit(step) });
    this.compare = el("a", { class: "compare", hidden: true }, "compare row by row");
    this.alert = el("p", { class: "fault", role: "alert", hidden: true });
    this.status = el("p", { class: "soft status", hidden: true });
    this.timeline = runTimeline({ seek });
    this.source = sourcePanel({ choose: () => {}, toggle: (line) => this.toLine(line), marginTitle: "Go to the next execution of this line" });
    this.heap = heapPanel({ jump: (row, label) => this.jumpTo(row, label), select: (what) => this.select(what) });
    this.output = runOutput();
    this.changesList = changesPanel({ jump: (row) => this.jump(row), close: () => this.select(null) });
    const bar = el("div", { class: "toolbar" }, el("div", { class: "moves", role: "toolbar", "aria-label": "Stepping" }, this.moves.map(([, button]) => button)), this.where, this.search.element, this.compare);
    const title = el("h1", { class: "unseen" }, `Run of ${oneLine(cut(this.session.name ?? "", 120))}`);
    fill(this.root, el("div", { class: "run-view" }, title, el("div", { class: "cockpit" }, bar, this.timeline.element), this.alert, this.status,
      el("div", { class: "run-panels" },
        el("div", { class: "column run-left" }, this.source.element, this.output.element),
        el("div", { class: "column run-right" }, this.heap.element, this.changesList.element))));
    this.view = this.root.firstElementChild;
  }

  keys() {
    const key = (name, label, act, also) => ({ key: name, label, act, also });
    return [
      ["Step", MOVES.map((item) => ({ key: item.key, also: item.also?.split(" ").filter((name) => name !== "n" && name !== "p").join(" "), label: item.label, act: () => this.move(item) }))],
      ["Look", [
        key("w", "who wrote the value in focus", () => this.press("[data-write]")),
        key("c", "when the name or object in focus changed", () => this.press("[data-pick]")),
        key("Escape", "close the list of changes", () => (this.selected ? this.select(null) : document.activeElement?.blur())),
        key("/", "search", () => this.search.focus()),
        key("n", "next hit", () => this.nextHit(1)), key("N", "previous hit", () => this.nextHit(-1)),
        key("v", "values as tables, or as a graph", () => this.heap.flip()),
        key("b", "back from a jump", () => (this.context.jumps() ? history.back() : this.context.announce("no jump to go back from"))),
      ]],
    ];
  }

  // Loading.

  async load(isRunning = false) {
    try {
      this.overview = await this.api.runOverview(this.run, this.at);
    } catch (error) {
      if (error.slug !== "not-recorded") throw error;
      fill(this.status, isRunning ? "The program is being recorded …" : error.message).hidden = false;
      return;
    }
    this.status.hidden = true;
    this.changes = new RunChanges(this.overview);
    this.rows = new RunRows((k) => this.api.runChunk(this.run, this.at, k), this.overview.chunk);
    this.marked();
    await this.seek(this.wanted, { quiet: true });
  }

  async grown({ stage }) {
    if (stage !== "truth" && !this.overview) await this.load().catch((error) => this.fail(error));
    else if (this.overview) fill(this.status, `${this.session.model} is predicting …`).hidden = false;
  }

  async reload() {
    try {
      this.session = await this.api.sample(this.run, this.at);
      await this.load();
      const { differing } = this.overview;
      this.context.announce(differing.length ? `the prediction differs at ${plural(differing.length, "step")}` : "the prediction agrees with the run");
    } catch (error) {
      this.fail(error);
    }
  }

  // Moving.

  /** Shows a step; `still`: the user drags, so nothing is announced. */
  async seek(row, { still = false, quiet = false } = {}) {
    if (!this.overview?.rows) return;
    const to = Math.max(0, Math.min(this.overview.rows - 1, row));
    const { rows } = this;
    this.wanted = to;
    let scene;
    try {
      scene = await rows.at(to);
    } catch (error) {
      return void this.fail(error);
    }
    if (this.wanted !== to || rows !== this.rows) return;
    this.row = to;
    this.scene = scene;
    this.render();
    this.write();
    if (!still && !quiet) this.context.announce(this.spoken());
  }

  move(item) {
    if (!this.scene) return;
    const to = item.to({ row: this.row, rows: this.overview.rows, current: this.scene });
    if (to === null || to === undefined) return void this.context.announce(`no ${item.label} from here`);
    return void this.seek(to);
  }

  /** A jump is a place in the history: the browser's back button, or `b`, returns from it. */
  async jump(row) {
    if (row === this.row) return;
    this.write({ now: true });
    this.context.address(this.address(row), { push: true });
    await this.seek(row);
  }

  jumpTo(row, label) {
    if (row === null || row === undefined) return void this.context.announce(`no step wrote ${label}`);
    if (row === this.row) return void this.context.announce(`${label} is written in this step`);
    return void this.jump(row);
  }

  toLine(line) {
    const { lines } = this.overview;
    const path = this.scene.file ?? null;
    const after = lines.findIndex((at, row) => row > this.row && at === line);
    const to = after >= 0 ? after : lines.indexOf(line);
    if (to < 0) return void this.context.announce(`line ${line} is not executed${path ? ` in ${path}` : ""}`);
    return void this.jump(to);
  }

  press(selector) {
    const row = document.activeElement?.closest?.("tr, li, .box");
    const button = row?.querySelector(selector);
    if (button) button.click();
    else this.context.announce("focus a value first: press Tab");
  }

  // Searching and selecting.

  find(words) {
    this.words = words;
    this.marked();
    this.render();
  }

  nextHit(step) {
    const rows = this.hits;
    if (!rows.length) return void this.context.announce(this.words.trim() ? "not found" : "nothing to search for: press /");
    const ahead = step > 0 ? rows.find((row) => row > this.row) : rows.findLast((row) => row < this.row);
    return void this.seek(ahead ?? rows.at(step > 0 ? 0 : -1));
  }

  select(what) {
    const isSame = what && this.selected && what.box === this.selected.box && what.name === this.selected.name && what.frame === this.selected.frame;
    this.selected = isSame ? null : what;
    this.marked();
    this.render();
    if (this.selected) this.context.announce(`${plural(this.changedRows.length, "change")} of ${this.selected.name ?? this.selected.title}`);
  }

  // The rows to mark: computed when the search or the selection changes, not at every step.
  marked() {
    if (!this.changes) return;
    this.hits = this.words.trim() ? [...new Set(this.changes.search(this.words).map(({ row }) => row))] : NO_ROWS;
    this.entries = this.selected ? this.listed() : [];
    this.changedRows = this.selected ? this.entries.map(({ row }) => row) : NO_ROWS;
  }

  listed() {
    const { frame, name, box } = this.selected;
    const line = (row) => this.overview.lines[row];
    if (box) return this.changes.ofBox(box).map(({ row, keys }) => ({ row, line: line(row), what: keys.length ? keys.join(" ") : "new" }));
    return this.changes.ofName(frame, name).map(({ row, text }) => ({ row, line: line(row), what: text ?? "deleted" }));
  }

  // Showing.

  render() {
    if (!this.scene) return;
    const { overview, scene, row, session, words, hits, changedRows: changed, changes, selected } = this;
    const { program } = session;
    const side = { stack: scene.frames.map(({ file, line }) => ({ file, line })), cell: { file: scene.file } };
    const file = fileOf(program, side, side);
    const [line, path] = scene.next ?? [null, null];
    this.source.render({ program, file, left: side, right: side, sides: {}, breakpoints: new Set(), next: line ? { line, path } : null });
    this.heap.render({ scene, natives: program.natives, changes, model: session.model, selected });
    this.output.render({ overview, row });
    this.timeline.render({ overview, row, hits, changed, spoken: this.spoken() });
    this.search.render({ words, hits, row });
    const heading = selected ? oneLine(cut(selected.name ?? selected.title, 60)) : null;
    this.changesList.render({ heading, entries: this.entries, row });
    for (const [item, button] of this.moves) button.disabled = (item.to({ row, rows: overview.rows, current: scene }) ?? null) === null;
    fill(this.where, el("b", {}, `step ${row}`), ` of ${overview.rows - 1} `, el("span", { class: "soft" }, this.sentence()), this.otherwise());
    this.compare.hidden = Boolean(session.recorded);
    this.compare.href = `#/run/${encodeURIComponent(this.run)}/sample/${encodeURIComponent(this.at)}`;
    Object.assign(this.view.dataset, { at: this.at, row });
  }

  /** What happens at this step, in words. */
  sentence() {
    const { event, line, decided, frames } = this.scene;
    const name = frames.at(-1)?.function ?? "";
    const what = event === "line" ? `line ${line}` : `${EVENTS[event] ?? event} ${oneLine(cut(name, 60))}${line ? `, line ${line}` : ""}`;
    const isLast = this.row === this.overview.rows - 1;
    const ending = isLast && this.overview.ending ? ` · ${ENDINGS[this.overview.ending[0]] ?? ""}${this.overview.ending[0] === "limit" ? ` (${this.overview.ending[1]})` : ""}` : "";
    return `${what}${decided?.length ? ` · ${decided.map((text) => oneLine(cut(text, 80))).join(", ")}` : ""}${ending}`;
  }

  // A step that the model predicts otherwise, beside the values.
  otherwise() {
    const { predicted } = this.scene;
    if (!predicted) return null;
    const words = predicted.missing ? "predicts no such step" : predicted.action ? `predicts ${predicted.action[0]} ${predicted.action[1] ?? ""}`.trim() : null;
    return words ? el("span", { class: "who right" }, `${this.session.model} ${words}`) : null;
  }

  spoken() {
    const { frames, row, changed } = this.scene;
    const names = frames.flatMap(({ names: entries }) => entries.filter(([, , at]) => at === row).map(([name]) => name));
    const objects = Object.keys(changed).length;
    const parts = [names.length ? `${names.slice(0, 5).join(", ")} changed` : "", objects && !names.length ? `${plural(objects, "object")} changed` : ""];
    return [`step ${row}`, this.sentence(), ...parts].filter(Boolean).join(", ");
  }

  fail(error) {
    if (error.name === "AbortError") return;
    fill(this.alert, error.message).hidden = false;
    if (!error.slug) console.error(error);
  }

  // The address, written when the moves pause.
  address(row) {
    return `#/run/${encodeURIComponent(this.run)}/view/${encodeURIComponent(this.at)}?step=${row}`;
  }

  write({ now = false } = {}) {
    clearTimeout(this.writing);
    const act = () => this.context.address(this.address(this.row));
    if (now) act();
    else this.writing = setTimeout(act, ADDRESS);
  }

  /** The same run at another step: the back button, or a link. */
  async update({ params }) {
    clearTimeout(this.writing);
    await this.seek(stepOf(params) ?? 0);
  }

  dispose() {
    clearTimeout(this.writing);
    this.growth.dispose();
    for (const panel of [this.source, this.heap]) panel.dispose();
  }
}

function stepOf(params) {
  const text = params.get("step");
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}
