// The choice of what is compared: left and right of truth, found and other, and the run of the other.

import { cut, el, fill, oneLine } from "./dom.js";
import { icon } from "./icons.js";

/** The name of a side: "actual", or the model's name. */
export function sideName(side, session) {
  if (side === "truth") return "actual";
  if (session.recorded) return "recorded";
  const model = oneLine(cut((side === "found" ? session.model : session.other_model) || (side === "found" ? "model" : "other model"), 40));
  if (side === "other" && model === oneLine(cut(session.model ?? "", 40))) return `${model} (other run)`;
  return model;
}

/** The runs that a run can be compared with. */
export function others(runs, here) {
  return here === "live" ? [] : runs.filter((run) => run.id !== here && !run.live);
}

/** The control; `choose({left, right, other})` is called with what changes, `swap()` with nothing. */
export function sidesControl({ choose, swap }) {
  const selects = { left: select("left"), right: select("right"), other: el("select", { on: { change: () => choose({ other: selects.other.value || null }) } }) };
  const second = el("label", { title: "Next run (v)" }, el("span", {}, "second run"), selects.other);
  const element = el("div", { class: "sides", role: "group", "aria-label": "Compared runs" },
    el("label", {}, el("span", {}, "left"), selects.left),
    el("button", { type: "button", class: "quiet", title: "Swap left and right (x)", "aria-label": "Swap left and right", on: { click: swap } }, icon("swap")),
    el("label", {}, el("span", {}, "right"), selects.right), second);

  function select(side) {
    return el("select", { on: { change: (event) => choose({ [side]: event.target.value }) } });
  }

  function render({ session, here, runs, branch }) {
    const sides = branch.id === 0 ? session.sides : session.sides.filter((side) => side !== "other");
    for (const side of ["left", "right"]) {
      fill(selects[side], sides.map((name) => el("option", { value: name, selected: name === here[side] }, sideName(name, session))));
    }
    const candidates = others(runs, here.run);
    second.hidden = !candidates.length;
    const option = (run) => el("option", { value: run.id, selected: run.id === here.other }, oneLine(cut(`${run.name} · ${run.model ?? ""}`, 80)));
    fill(selects.other, el("option", { value: "", selected: !here.other }, "none"), candidates.map(option));
  }

  return { element, render };
}
