// Two runs on the same samples: what the other run gained and lost, each count a link to its samples.

import { count, el } from "./dom.js";
import { changed, overviewHref } from "./filters.js";
import { others } from "./sides.js";

const KINDS = [
  ["both", "right in both", "✓", "✓"],
  ["lost", "right in this run only", "✓", "✗"],
  ["gained", "right in the other run only", "✗", "✓"],
  ["neither", "wrong in both", "✗", "✗"],
];

/** A p-value in words. */
export function chance(p) {
  if (p === null || p === undefined) return "no test";
  return p < 0.001 ? "p < 0.001" : `p = ${p.toFixed(3)}`;
}

/** The choice of the other run; null if there is none. */
export function otherChoice({ run, runs, state, go }) {
  const candidates = others(runs, run);
  if (!candidates.length) return null;
  const select = el("select", { "aria-label": "Compare with another run" },
    el("option", { value: "" }, "compare with…"), candidates.map((candidate) => el("option", { value: candidate.id }, title(candidate))));
  select.value = state.other ?? "";
  select.addEventListener("change", () => go(changed(state, { other: select.value, flip: null })));
  return select;
}

/** The title of a run in a list. */
export function title(run) {
  return [run.name, run.model].filter(Boolean).join(" · ");
}

/** The four counts of two runs. */
export function flipPanel({ flips, run, runs, state, go }) {
  const other = runs.find((candidate) => candidate.id === state.other);
  const cells = KINDS.map(([kind, words, here, there]) => flipLink({ kind, words, here, there, n: flips[kind], run, state, go }));
  const shared = KINDS.reduce((sum, [kind]) => sum + flips[kind], 0);
  const [here, there] = flips.only ?? [0, 0];
  const apart = [here ? `${count(here)} only in this run` : "", there ? `${count(there)} only in the other run` : ""].filter(Boolean).join(", ");
  return el("section", { class: "flips panel", "aria-label": "Flips between two runs" },
    el("header", {}, el("h2", {}, "Answers compared with ", other ? title(other) : state.other),
      el("span", { class: "soft", title: "McNemar's exact test of whether flips are equally likely in both directions" }, `McNemar ${chance(flips.p)}`)),
    el("div", { class: "flip-cells" }, cells),
    el("p", { class: "soft flip-note" }, `${count(shared)} samples were judged in both runs${apart ? `; ${apart}` : ""}.`));
}

function flipLink({ kind, words, here, there, n, run, state, go }) {
  const chosen = state.flip === kind;
  const next = changed(state, { flip: chosen ? null : kind });
  const link = el("a", { class: `flip ${kind}${chosen ? " chosen" : ""}`, href: overviewHref(run, next), "aria-current": chosen ? "true" : null, "aria-label": `${count(n)} ${words}` },
    el("b", {}, count(n)), el("span", { class: "flip-marks", "aria-hidden": "true" }, `${here} → ${there}`), el("span", { class: "flip-words" }, words));
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    go(next, link);
  });
  return link;
}
