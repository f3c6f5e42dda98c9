// The sample view: one program with its actual and predicted run, step by step. It holds the place (branch, sides, row), loads
// what is to be shown, and passes it to the panels.

import { branchesPanel, named } from "./branches.js";
import { Breakpoints } from "./breakpoints.js";
import { cut, el, fill, oneLine } from "./dom.js";
import { NOTHING, fold, levels, names } from "./fold.js";
import { failurePanel } from "./failure.js";
import { Growth } from "./growth.js";
import { intervenePanel, refused } from "./intervene.js";
import { RUNS, nearest, nearestStop } from "./moves.js";
import { nowPanel, spoken } from "./now.js";
import { outputPanel } from "./output.js";
import { addressOf, isUsual, placeOf } from "./place.js";
import { NO_ROW, newest, rowsOf } from "./rows.js";
import { sampleKeys } from "./sample_keys.js";
import { others, sideName, sidesControl } from "./sides.js";
import { fileOf, linesOf, sourcePanel } from "./source.js";
import { statePanel } from "./state.js";
import { stepsPanel } from "./steps.js";
import { storyPanel } from "./story.js";
import { timelinePanel } from "./timeline.js";
import { neighbours, toolbar } from "./toolbar.js";
import { whyPanel } from "./why.js";

const ADDRESS = 200; // ms after the last move until the address is written: browsers refuse more than a few a second

/** Shows a sample. */
export async function show(root, route, context) {
  const view = new SampleView(root, route, context);
  await view.open();
  return view;
}

class SampleView {
  constructor(root, route, context) {
    Object.assign(this, { root, context, api: context.api, here: placeOf(route) });
    this.progress = new Map();
    this.breakpoints = new Breakpoints();
    this.follows = false; // whether the newest row is in hand while a branch is written
    this.turn = 0;
    this.growth = new Growth({
      api: this.api, run: this.here.run, at: this.here.at,
      grown: (id, report) => this.grown(id, report), done: (id, branch) => this.done(id, branch), failed: (id, error) => this.broken(id, error),
    });
  }

  async open() {
    const describing = this.describe();
    const early = isUsual(this.here) ? this.ask(this.here) : null; // requested before the sample is known
    const [session, listed] = await Promise.all([describing, this.api.runs()]);
    this.session = session;
    this.runs = listed.runs;
    this.build();
    for (const [heading, keys] of sampleKeys(this)) this.context.keys(heading, keys);
    const run = this.runs.find((one) => one.id === this.here.run);
    const { call } = session.program;
    this.context.crumbs([
      { label: "runs", href: "#/" },
      { label: oneLine(cut(run?.name ?? this.here.run, 80)), href: `#/run/${encodeURIComponent(this.here.run)}` },
      { label: oneLine(cut(call && !session.recorded && !session.name.includes(call) ? `${session.name} ${call}` : session.name, 120)) },
    ]);
    await this.turnTo(this.here, early);
    for (const branch of session.branches) if (branch.status === "running") this.growth.follow(branch.id);
  }

  build() {
    const seek = (row, still) => this.seek(row, { still });
    const jump = (row, name) => this.jump(row, name);
    const fail = (error) => this.fail(error);
    this.sides = sidesControl({ choose: (change) => this.compare(change), swap: () => this.swap() });
    this.bar = toolbar({ move: (one) => this.move(one), jump: (row) => this.jump(row), back: () => this.back(), samples: neighbours(this.session, this.here) });
    this.alert = el("p", { class: "fault", role: "alert", hidden: true });
    this.timeline = timelinePanel({ seek, sides: this.sides });
    this.intervene = intervenePanel({ send: (what) => this.send(what) });
    this.steps = stepsPanel({ seek, failed: fail });
    this.source = sourcePanel({ toggle: (line) => this.breakAt(line), choose: (line, opened) => !this.session.recorded && this.intervene.open("line", { line, focus: Boolean(opened) }) });
    this.why = whyPanel({ ask: (question) => this.explain(question), jump, failed: fail });
    this.state = statePanel({ jump, edit: (name) => this.intervene.open("edit", { name }), why: (question, button) => this.why.open(question, button), say: (text) => this.say(text) });
    this.panels = [ // what is printed takes room of the source, which then has its line in sight
      outputPanel(), this.source, this.state, nowPanel(), this.steps, this.session.failure ? failurePanel({ jump }) : storyPanel(),
      branchesPanel({ choose: (id) => this.choose(id), stop: (id) => this.stop(id) }), this.intervene, this.why,
    ];
    const [output, source, state, now, steps, story, branches, intervene, why] = this.panels.map((panel) => panel.element);
    const column = (name, ...panels) => el("div", { class: `column ${name}` }, ...panels);
    fill(this.root,
      el("h1", { class: "unseen" }, `Sample ${oneLine(cut(this.session.name ?? "", 120))}`),
      el("div", { class: "cockpit" }, this.bar.element, this.timeline.element), this.alert,
      el("div", { class: "sample" },
        column("column-program", source, output), column("column-run", now, state, steps), column("column-why", why, story, branches, intervene)));
    this.root.classList.add("sample-view");
    this.root.classList.toggle("recorded", Boolean(this.session.recorded));
  }

  // Loading.

  describe() {
    return this.api.sample(this.here.run, this.here.at, { other: this.here.other });
  }

  branch(place = this.here, session = this.session) {
    return session.branches.find((one) => one.id === place.branch) ?? session.branches[0];
  }

  program() {
    return this.branch().program ?? this.session.program;
  }

  ask(place) {
    return rowsOf(this.api, place);
  }

  /** Goes to a place once its rows are loaded: branch and sides, and the given row or the first divergence. */
  async turnTo(place, early = null) {
    const next = this.sound(place);
    const isAsked = early && ["branch", "left", "right"].every((name) => next[name] === place[name]);
    await this.load(isAsked ? early : this.ask(next), (line) => next.row ?? line.first ?? this.branch(next).at ?? 0);
    this.sides.render({ session: this.session, here: this.here, runs: this.runs, branch: this.branch() });
  }

  // What is shown stays until its successor is loaded. `choose` returns the row; the latest call wins.
  async load({ place, line: request, rows }, choose) {
    const mine = (this.turn += 1);
    const line = await request;
    if (line.rows) await rows.at(Math.max(0, Math.min(line.rows - 1, choose(line))));
    if (mine !== this.turn) return;
    Object.assign(this, { rows, line, here: { ...place, row: this.here.row ?? 0 } });
    await this.seek(choose(line), { quiet: true });
  }

  // A link may name a branch or side that no longer exists. A recorded run is compared with itself.
  sound(place) {
    if (this.session.recorded) return { ...place, branch: 0, left: "found", right: "found" };
    const branch = this.session.branches.some((one) => one.id === place.branch) ? place.branch : 0;
    const there = (side) => this.session.sides.includes(side) && (side !== "other" || branch === 0);
    return { ...place, branch, left: there(place.left) ? place.left : "truth", right: there(place.right) ? place.right : "found" };
  }

  // Moving.

  /** Shows a row; `still`: the user drags, so nothing is announced. */
  async seek(row, { still = false, quiet = false } = {}) {
    const mine = this.turn;
    const line = this.line; // it may be longer by the time that the rows are here
    const to = Math.max(0, Math.min(line.rows - 1, row));
    this.wanted = to;
    let chunk = this.rows.known(to);
    try {
      chunk ??= line.rows ? await this.rows.at(to) : null;
    } catch (error) {
      return void this.fail(error);
    }
    if (mine !== this.turn || this.wanted !== to) return;
    this.here.row = to;
    this.follows = this.branch().status === "running" && to >= newest(line);
    this.render(chunk);
    this.state.bring({ far: !still && this.now.current.differs.length > 0 });
    this.write();
    if (!still && !quiet) this.context.announce(spoken(this.now));
  }

  async move(one) {
    if (!this.now) return;
    const to = await one.to(this.place());
    if (RUNS.includes(one) && to) return void this.run(to);
    if (to === null || to === undefined) return void this.context.announce(`no ${one.label} from here`);
    if (one.icon) await this.seek(to);
    else await this.jump(to);
  }

  place() {
    const next = (row, step) => nearest({ timeline: this.line, rows: this.rows }, row, step);
    const lines = this.breakpoints.places(this.program());
    const stop = (row, step) => nearestStop({ timeline: this.line, rows: this.rows }, lines, row, step);
    return { row: this.here.row, rows: this.line.rows, first: this.line.first ?? null, current: this.now.current, next, stop };
  }

  /** Continues to a row that stops; while the model is predicting, follows it. */
  async run({ row, why, open = false }) {
    const goesOn = open && row > this.here.row && this.branch().status === "running";
    await this.jump(goesOn ? newest(this.line) : row);
    this.say(goesOn ? "no stop so far; the model is still predicting" : why);
  }

  /** Toggles a breakpoint at a line; by default, the selected or current one. */
  breakAt(line = this.source.chosen() ?? this.lineHere()) {
    const set = line ? this.breakpoints.toggle(this.now.file, line) : null;
    if (!set) return this.say("no line from here on can be executed");
    this.source.render(this.now);
    return this.say(set.on ? `breakpoint at line ${set.line}` : `removed the breakpoint at line ${set.line}`);
  }

  lineHere() {
    const frame = this.now.left.stack.at(-1) ?? this.now.right.stack.at(-1);
    return frame && (frame.file ?? null) === (this.now.file === this.now.program ? null : this.now.file.name) ? frame.line : null;
  }

  /** Shows a text beside the buttons and announces it. */
  say(text) {
    this.bar.say(text);
    this.context.announce(text);
  }

  /** A jump is a place in the history: the browser's back button, or `b`, returns from it. */
  async jump(row, name) {
    if (row === this.here.row) return;
    this.write({ now: true });
    this.context.address(addressOf({ ...this.here, row: Math.max(0, Math.min(this.line.rows - 1, row)) }), { push: true });
    await this.seek(row);
    if (name) this.root.querySelector(`tr[data-name="${CSS.escape(name)}"]`)?.scrollIntoView({ block: "nearest" });
  }

  back() {
    if (!this.context.jumps()) return void this.context.announce("no jump to go back from");
    history.back();
  }

  writer(side) {
    const focused = document.activeElement?.closest?.("tr[data-name]")?.dataset.name;
    const variable = this.now.names.find((one) => (focused ? one.name === focused : one.differs && one[side]));
    const row = variable?.[side]?.row;
    if (row === null || row === undefined) return void this.context.announce("no step wrote this value");
    if (row === this.here.row) return void this.context.announce(`${variable.name} is written in this step`);
    return void this.jump(row, variable.name);
  }

  // Sides and branches.

  compare(change) {
    this.turning = this.turned(change);
    return this.turning;
  }

  async turned(change) {
    const place = { ...this.here, ...change };
    this.write({ now: true });
    this.context.address(addressOf(place), { push: true });
    try {
      if ("other" in change) await this.otherRun(place);
      else await this.turnTo(place);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Compares with another run, or with none. */
  async beside(place) {
    this.here = { ...place };
    this.session = await this.describe();
  }

  async otherRun(place) {
    await this.beside(place);
    const both = place.other !== null && this.session.sides.includes("other");
    await this.turnTo(both ? { ...place, branch: 0, left: "found", right: "other" } : { ...place, left: "truth", right: "found" });
  }

  /** Compares with the next of the other runs; after the last, with none. */
  otherBeside() {
    const ids = [null, ...others(this.runs, this.here.run).map((run) => run.id)];
    if (ids.length === 1) return void this.context.announce("no other run is open");
    const next = ids[(ids.indexOf(this.here.other) + 1) % ids.length];
    this.context.announce(next === null ? "compared with no other run" : `compared with run ${next}`);
    return this.compare({ other: next });
  }

  swap() {
    return this.compare({ left: this.here.right, right: this.here.left });
  }

  async choose(id) {
    if (id === this.here.branch) return;
    await this.compare({ branch: id, row: null });
    this.context.announce(`branch ${named(this.branch().intervention)}`);
  }

  cycle(step) {
    const ids = this.session.branches.map((one) => one.id);
    const to = ids.indexOf(this.here.branch) + step;
    if (ids[to] === undefined) return void this.context.announce("no further branch");
    return void this.choose(ids[to]);
  }

  /** The chain behind a value of the row in hand. */
  explain({ name, left_frame, right_frame, key }) {
    const { run, at, branch, left, right, other, row } = this.here;
    return this.api.why(run, at, { branch, left, right, other, row, name, left_frame, right_frame, key });
  }

  // Interventions.

  async send(intervention) {
    await this.turning; // a branch that was just chosen is the one that goes on
    const parent = this.here.branch;
    const { branch } = await this.api.branch(this.here.run, this.here.at, { parent, intervention });
    this.session = await this.describe();
    this.growth.follow(branch);
    await this.compare({ branch, left: "truth", right: "found", row: null });
    this.context.announce(`branch ${named(intervention)} started`);
  }

  async grown(id, report) {
    const turned = this.progress.get(id)?.stage !== report.stage;
    this.progress.set(id, report);
    try {
      if (turned) this.session = await this.describe(); // the truth is known by now, or why there is none
      if (id === this.here.branch) await this.refresh();
      else this.render(this.rows.known(this.here.row));
    } catch (error) {
      this.fail(error);
    }
  }

  // The row stays, unless it is the newest one.
  refresh() {
    const follows = this.follows;
    return this.load(this.ask(this.here), (line) => (follows ? newest(line) : this.wanted));
  }

  async done(id, report) {
    const followed = this.follows && id === this.here.branch;
    this.progress.delete(id);
    try {
      this.session = await this.describe();
      if (id === this.here.branch) await this.refresh();
      if (followed) {
        await this.seek(this.line.first ?? report?.at ?? 0, { quiet: true });
        this.root.querySelector(".column-why").scrollTop = 0; // what came of it
      } else this.render(this.rows.known(this.here.row));
    } catch (error) {
      return void this.fail(error);
    }
    const right = report?.answer?.right ?? null;
    this.context.announce(`branch ${id} is ${report?.status ?? "done"}${right === null ? "" : right ? ": the answer is right" : ": the answer is wrong"}`);
  }

  broken(id, error) {
    this.progress.delete(id);
    this.fail(error);
  }

  stop(id) {
    return this.api.stop(this.here.run, this.here.at, id).catch((error) => this.fail(error));
  }

  // Showing.

  render(chunk) {
    const { session } = this;
    const branch = this.branch();
    const sides = { left: sideName(this.here.left, session), right: sideName(this.here.right, session) };
    const [left, right] = ["left", "right"].map((side) => (chunk ? fold(chunk, side, this.here.row) : NOTHING));
    const current = chunk?.rows[this.here.row - chunk.first] ?? NO_ROW;
    const step = this.here.right === "found" ? right.cell?.step ?? null : this.here.left === "found" ? left.cell?.step ?? null : null;
    const level = levels(left.stack, right.stack).at(-1);
    const program = this.program();
    const file = fileOf(program, left, right);
    this.now = {
      session, branch, program, file, sides, compared: [this.here.run, this.here.at, branch.id, this.here.left, this.here.right, this.here.other].join("/"), left, right, current, step, row: this.here.row, timeline: this.line, count: this.line.rows, rows: this.rows, progress: this.progress,
      canEdit: this.api.isLive() && step !== null, names: level ? names(level) : [], model: sideName("found", session), refused: refused(this.api),
      breakpoints: this.breakpoints.of(file), lines: linesOf(file).length, canReturn: this.context.jumps() > 0,
    };
    this.now.place = this.place();
    this.bar.render(this.now);
    this.timeline.render(this.now);
    for (const panel of this.panels) panel.render(this.now);
    Object.assign(this.root.dataset, { at: this.here.at, row: this.here.row });
  }

  fail(error) {
    if (error.name === "AbortError") return;
    fill(this.alert, error.message).hidden = false;
    if (!error.slug) console.error(error);
  }

  // The address, written when the moves pause.
  write({ now = false } = {}) {
    clearTimeout(this.writing);
    const act = () => this.context.address(addressOf(this.here));
    if (now) act();
    else this.writing = setTimeout(act, ADDRESS);
  }

  /** The same sample at another place: the back button, or a link. */
  async update(route) {
    clearTimeout(this.writing);
    const place = placeOf(route);
    const same = ["branch", "left", "right", "other"].every((name) => place[name] === this.here[name]);
    try {
      if (same) return void await this.seek(place.row ?? this.line.first ?? 0);
      if (place.other !== this.here.other) await this.beside(place);
      await this.turnTo(place);
    } catch (error) {
      this.fail(error);
    }
  }

  dispose() {
    this.turn += 1;
    clearTimeout(this.writing);
    this.growth.dispose();
    for (const panel of [...this.panels, this.timeline]) panel.dispose?.();
  }
}
