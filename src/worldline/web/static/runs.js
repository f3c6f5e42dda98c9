// The first page: the runs that were opened, and, where a model is at hand, the form to try a program.

import { api } from "./api.js";
import { count, el, fill } from "./dom.js";
import { programForm } from "./program.js";

/** Show the runs. */
export async function show(root, route, context) {
  const { runs, models, live } = await api.runs();
  const opened = runs.filter((run) => run.id !== "live" || run.samples > 0);
  const form = live ? programForm({ models, context }) : null;
  fill(root, el("div", { class: "home" },
    el("section", { "aria-labelledby": "runs-title" }, el("h1", { id: "runs-title" }, "Runs"),
      opened.length ? el("ul", { class: "runs" }, opened.map(card)) : el("p", { class: "soft" }, live ? "No run was opened. Try a program instead." : "No run was opened.")),
    form?.element,
    live ? null : el("p", { class: "soft asleep" }, api.isBundle()
      ? "This page is a bundle: everything can be read and filtered, but no model is behind it, so nothing can be tried."
      : "No model is behind this page, so programs cannot be tried here: open it with --model.")));
  context.crumbs?.([]);
  context.keys?.("Runs", [
    { key: "ArrowDown", also: "j", label: "next run; Enter opens", act: () => move(root, 1) },
    { key: "ArrowUp", also: "k", label: "the run before", act: () => move(root, -1) },
    ...(form ? [{ key: "p", label: "type a program", act: () => form.focus() }] : []),
  ]);
  return { dispose: () => form?.dispose() };
}

function card(run) {
  const facts = [run.suite, run.model].filter(Boolean).join(" · ");
  return el("li", {}, el("a", { href: `#/run/${encodeURIComponent(run.id)}` },
    el("b", {}, run.id === "live" ? "Tried programs" : run.name), el("span", { class: "soft" }, facts),
    el("span", { class: "number" }, `${count(run.samples)} ${run.samples === 1 ? "sample" : "samples"}`),
    (run.notes ?? []).map((note) => el("span", { class: "soft noted" }, note))));
}

function move(root, by) {
  const links = [...root.querySelectorAll(".runs a")];
  const at = links.indexOf(document.activeElement);
  links[Math.max(0, Math.min(links.length - 1, at + by))]?.focus();
}
