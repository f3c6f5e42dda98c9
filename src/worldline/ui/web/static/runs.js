// The first page: the runs that were opened, and, where a model is at hand, the form to try a program.

import { api } from "./api.js";
import { count, el, fill, percent } from "./dom.js";
import { programForm } from "./program.js";

/** Show the runs. */
export async function show(root, route, context) {
  const { runs, models, live, records, quizzes } = await api.runs();
  if (quizzes === 1 && !runs.length) return void context.go("#/quiz/0");
  const canTry = live || records;
  const opened = runs.filter((run) => run.id !== "live" || run.samples > 0);
  const form = canTry ? programForm({ models, context }) : null;
  fill(root, el("div", { class: "home" },
    el("section", { "aria-labelledby": "runs-title" }, el("h1", { id: "runs-title" }, "Runs"),
      opened.length ? el("ul", { class: "runs" }, opened.map(card)) : el("p", { class: "soft" }, canTry ? "No run is open. Try a program instead." : "No run is open.")),
    quizzes ? el("section", { "aria-labelledby": "quizzes-title" }, el("h2", { id: "quizzes-title" }, "Quizzes"),
      el("ul", {}, Array.from({ length: quizzes }, (_, at) => el("li", {}, el("a", { href: `#/quiz/${at}` }, `Quiz ${at + 1}`))))) : null,
    form?.element,
    canTry ? null : el("p", { class: "soft asleep" }, api.isBundle()
      ? "This page is a bundle: you can read and filter everything, but it has no model to try programs."
      : ["This page has no model: open it with ", el("code", { class: "option" }, "--model"), " to try programs."])));
  context.crumbs?.([]);
  context.keys?.("Runs", [
    { key: "ArrowDown", also: "j", label: "next run; Enter opens", act: () => move(root, 1) },
    { key: "ArrowUp", also: "k", label: "previous run", act: () => move(root, -1) },
    ...(form ? [{ key: "p", label: "type a program", act: () => form.focus() }] : []),
  ]);
  return { dispose: () => form?.dispose() };
}

function card(run) {
  const facts = [run.suite, run.model].filter(Boolean).join(" · ");
  return el("li", {}, el("a", { href: `#/run/${encodeURIComponent(run.id)}` },
    el("b", {}, run.id === "live" ? "Tried programs" : run.name),
    el("span", { class: "number" }, `${count(run.samples)} ${run.samples === 1 ? "sample" : "samples"}`),
    el("span", { class: "soft facts" }, facts),
    run.answer?.n ? el("span", { class: "rates" }, rate("answers", run.answer), rate("traces", run.trace)) : null,
    run.written ? el("time", { class: "soft number", dateTime: new Date(1000 * run.written).toISOString() }, date(run.written)) : null,
    run.settings?.length ? el("span", { class: "settings" }, run.settings.map(([name, value]) => el("span", { class: "setting" }, `${name} `, el("b", {}, value)))) : null,
    (run.notes ?? []).map((note) => el("span", { class: "soft noted" }, note))));
}

function rate(of, { some, n, low, high }) {
  const within = `${percent(low)} to ${percent(high)}, 95 %`;
  return el("span", { class: "rate", title: `${count(some)} of ${count(n)} ${of} right; ${within}` }, el("b", {}, percent(some / n)), ` ${of} right`);
}

function date(seconds) {
  return new Date(1000 * seconds).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

function move(root, by) {
  const links = [...root.querySelectorAll(".runs a")];
  const at = links.indexOf(document.activeElement);
  links[Math.max(0, Math.min(links.length - 1, at + by))]?.focus();
}
