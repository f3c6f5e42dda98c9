// The quiz: a run stops before a line, the person predicts what the line does, then the truth is told. The server keeps the truth until
// an answer is given. Routes: `#/quiz/0/3` is a question, `#/quiz/0/score` the end.

import { cut, el, fill, oneLine, plural } from "./dom.js";
import { heapPanel } from "./heap.js";
import { SIGNS } from "./now.js";
import { answerPanel, prose } from "./quiz_answer.js";
import { Results, scoreText } from "./quiz_score.js";
import { fileOf, sourcePanel } from "./source.js";

const RECORDING_MS = 300; // between two questions whether the run is recorded
const PREDICTING_MS = 1000; // between two questions whether the model has come so far

/** Shows a quiz. */
export async function show(root, route, context) {
  const view = new QuizView(root, context, Number(route.path[1]));
  await view.open(route);
  return view;
}

function hashed(text) {
  let hash = 0;
  for (const character of text) hash = (hash * 31 + character.codePointAt(0)) | 0;
  return hash >>> 0;
}

class QuizView {
  constructor(root, context, number) {
    Object.assign(this, { root, context, api: context.api, number, at: 0, isLeft: false });
  }

  async open(route) {
    this.quiz = await this.api.quiz(this.number);
    if (this.quiz.status === "recording") {
      fill(this.root, el("p", { class: "opening soft" }, "The program is being recorded …"));
      while (this.quiz.status === "recording" && !this.isLeft) {
        await new Promise((resolve) => { this.waiting = setTimeout(resolve, RECORDING_MS); });
        this.quiz = await this.api.quiz(this.number);
      }
    }
    if (this.isLeft) return;
    if (this.quiz.status === "failed") throw new Error(`There is nothing to ask: ${this.quiz.note}`);
    const { program, questions } = this.quiz;
    this.results = new Results(`${this.number} ${hashed([program.source, program.call ?? "", program.stdin, String(questions)].join("\0"))}`);
    this.build();
    this.register();
    await this.turnTo(route);
  }

  build() {
    this.steps = el("nav", { class: "quiz-steps", "aria-label": "Questions" });
    this.score = el("p", { class: "quiz-score", role: "status" });
    this.alert = el("p", { class: "fault", role: "alert", hidden: true });
    this.source = sourcePanel({ toggle: (line) => this.pick(line), choose: (line) => this.pick(line), marginTitle: "Choose this line" });
    this.answers = answerPanel({ answer: (text) => this.answer(text), next: () => this.go(this.following()) });
    this.heap = heapPanel({ jump: (row, label) => this.sayWriter(row, label), select: (what) => this.sayWriterOf(what) });
    this.printed = el("pre", { class: "code" });
    this.output = el("section", { class: "panel quiz-output", "aria-labelledby": "output-title" }, el("header", {}, el("h2", { id: "output-title" }, "Printed so far")), this.printed);
    this.writer = el("p", { class: "soft writer-note", role: "status" });
    this.summary = el("section", { class: "panel quiz-summary", "aria-labelledby": "summary-title", hidden: true });
    this.board = el("div", { class: "quiz-board" },
      el("div", { class: "column" }, this.source.element), el("div", { class: "column" }, this.answers.element, this.heap.element, this.writer, this.output));
    fill(this.root, el("h1", { class: "unseen" }, `Quiz ${oneLine(cut(this.quiz.name, 120))}`),
      el("div", { class: "quiz-bar" }, this.steps, this.score), this.alert, this.board, this.summary);
    this.root.classList.add("quiz-view");
    this.context.crumbs([{ label: "quiz", href: "#/" }, { label: oneLine(cut([this.quiz.name, this.quiz.program.call].filter(Boolean).join(" "), 120)) }]);
  }

  register() {
    this.context.keys("Quiz", [
      { key: "a", label: "type the answer", act: () => this.answers.focus() },
      { key: "r", label: "reveal the truth", act: () => this.isAsked() && this.answer(null) },
      { key: "n", also: "ArrowRight", label: "next question", act: () => this.go(this.following()) },
      { key: "p", also: "ArrowLeft", label: "previous question", act: () => this.go(Math.max(0, (this.isScore ? this.quiz.questions : this.at) - 1)) },
    ]);
  }

  isAsked() {
    return !this.isScore && !this.results.get(this.at);
  }

  following() {
    return this.at + 1 < this.quiz.questions ? this.at + 1 : "score";
  }

  go(where) {
    this.context.go(`#/quiz/${this.number}/${where}`);
  }

  update(route) {
    return this.turnTo(route).catch((error) => this.fail(error));
  }

  async turnTo(route) {
    const where = route.path[2] ?? "0";
    this.isScore = where === "score";
    this.alert.hidden = true;
    this.board.hidden = this.isScore;
    this.summary.hidden = !this.isScore;
    if (this.isScore) {
      this.renderBar();
      return void await this.summarize();
    }
    const at = Math.max(0, Math.min(this.quiz.questions - 1, Number.parseInt(where, 10) || 0));
    const question = await this.api.question(this.number, at);
    if (this.isLeft) return;
    Object.assign(this, { at, question });
    this.render();
    const judged = this.results.get(at);
    if (judged?.model?.status === "predicting") this.watch(at);
    this.context.announce(`question ${at + 1} of ${this.quiz.questions}: ${question.text.replaceAll("`", "")}`);
    if (judged) this.answers.onward();
    else if (window.parent === window || document.hasFocus()) this.answers.focus(); // A frame takes no focus from the page around it.
  }

  render() {
    const { question, quiz } = this;
    const judged = this.results.get(this.at);
    const { scene, output } = judged?.after ?? question;
    const side = { stack: scene.frames.map(({ line, file }) => ({ line, file })), cell: null };
    const { program } = quiz;
    this.source.render({ program, file: fileOf(program, side, side), left: side, right: side, sides: {}, breakpoints: new Set() });
    this.answers.render({ question, quiz, judged, isLast: this.at + 1 === quiz.questions });
    const changes = { textAt: (frame, name) => scene.texts[frame]?.[name] ?? null, ofName: () => [], writerOf: () => null };
    this.heap.render({ scene, natives: program.natives, changes, model: null, selected: null });
    fill(this.writer);
    fill(this.printed, output);
    this.output.hidden = !output;
    this.renderBar();
    Object.assign(this.root.dataset, { question: this.at, status: judged?.status ?? "open" });
  }

  renderBar() {
    const links = Array.from({ length: this.quiz.questions }, (_, at) => {
      const status = this.results.get(at)?.status ?? "open";
      const words = { open: "not answered", revealed: "revealed" }[status] ?? status;
      const isHere = !this.isScore && at === this.at;
      return el("a", { href: `#/quiz/${this.number}/${at}`, class: `step ${status}`, "aria-current": isHere ? "step" : null, "aria-label": `Question ${at + 1}, ${words}`, title: `Question ${at + 1}: ${words}` },
        status === "right" || status === "wrong" ? SIGNS[status] : String(at + 1));
    });
    fill(this.steps, links);
    fill(this.score, scoreText(this.results.score()));
  }

  // Who wrote a value, as far as the run has come.

  sayWriter(row, label) {
    const line = row === null || row === undefined ? null : this.question.lines[row];
    fill(this.writer, line ? `${oneLine(cut(label, 80))} was last written by line ${line}, step ${row}.` : "");
  }

  sayWriterOf({ frame, name }) {
    const { scene } = this.results.get(this.at)?.after ?? this.question;
    const entry = scene.frames.find((one) => one.frame === frame)?.names.find(([known]) => known === name);
    if (entry) this.sayWriter(entry[2], name);
  }

  // Answering.

  pick(line) {
    if (this.question?.kind === "line" && this.isAsked()) this.answers.type(String(line));
  }

  async answer(text) {
    if (!this.isAsked() || this.isSending) return;
    this.isSending = true;
    const { at } = this;
    try {
      const judged = await this.api.answer(this.number, at, text);
      if (judged.status === "malformed") return void this.answers.complain(judged.note);
      this.settle(at, judged);
      if (at === this.at && !this.isScore) this.answers.onward();
    } catch (error) {
      this.fail(error);
    } finally {
      this.isSending = false;
    }
  }

  settle(at, judged) {
    this.results.set(at, judged);
    if (at === this.at && !this.isScore) this.render();
    else this.renderBar();
    if (judged.model?.status === "predicting") this.watch(at);
  }

  // The model may still be writing. What it says about a question that is answered is asked for again.
  watch(at) {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(async () => {
      try {
        const judged = await this.api.answer(this.number, at, this.results.get(at)?.answer ?? null);
        if (!this.isLeft) this.settle(at, judged);
      } catch (error) {
        this.fail(error);
      }
    }, PREDICTING_MS);
  }

  // The end.

  async summarize() {
    const numbers = Array.from({ length: this.quiz.questions }, (_, at) => at);
    const questions = await Promise.all(numbers.map((at) => this.api.question(this.number, at)));
    const { quiz, results } = this;
    const left = numbers.filter((at) => !results.get(at));
    const model = quiz.model !== null;
    const cell = (text, status) => el("td", { class: "code text" }, text === null ? el("span", { class: "soft" }, "–") : [oneLine(cut(text, 80)), status ? el("span", { class: `verdict ${status}` }, ` ${SIGNS[status] ?? ""}`) : null]);
    const row = (at) => {
      const judged = results.get(at);
      return el("tr", {}, el("th", { scope: "row" }, el("a", { href: `#/quiz/${this.number}/${at}` }, String(at + 1))), el("td", {}, prose(questions[at].text)),
        cell(judged ? judged.answer ?? "revealed" : null, judged && judged.status !== "revealed" ? judged.status : null),
        model ? cell(judged ? judged.model?.answer ?? judged.model?.status ?? null : null, judged?.model?.answer === undefined ? null : judged.model.status) : null, cell(judged?.truth ?? null, null));
    };
    fill(this.summary, el("header", {}, el("h2", { id: "summary-title", tabIndex: -1 }, scoreText(results.score()))),
      el("div", { class: "body" },
        left.length ? el("p", {}, `${plural(left.length, "question")} left: `, el("a", { href: `#/quiz/${this.number}/${left[0]}` }, `question ${left[0] + 1}`), ".") : null,
        model ? el("p", { class: "soft" }, `${oneLine(cut(quiz.model, 60))} predicted the whole run from the source alone. You saw the true state before each line.`) : null,
        el("table", { class: "answers" }, el("thead", {}, el("tr", {}, ["", "question", "you", ...(model ? [oneLine(cut(quiz.model, 40))] : []), "truth"].map((head) => el("th", { scope: "col" }, head)))), el("tbody", {}, numbers.map(row))),
        el("button", { type: "button", on: { click: () => this.again() } }, "Start again")));
    Object.assign(this.root.dataset, { question: "score", status: left.length ? "open" : "done" });
    this.summary.querySelector("h2").focus();
    this.context.announce(scoreText(results.score()));
  }

  again() {
    this.results.clear();
    this.go(0);
  }

  fail(error) {
    fill(this.alert, error.message).hidden = false;
    if (!error.slug) console.error(error);
  }

  dispose() {
    this.isLeft = true;
    clearTimeout(this.waiting);
    this.source?.dispose();
    this.heap?.dispose();
  }
}
