// The keys of the sample view.

import { addressOf } from "./place.js";
import { HOPS, MOVES, RUNS } from "./moves.js";

/** [heading, [{key, also?, label, act}]] for a view. */
export function sampleKeys(view) {
  const key = (name, label, act, also) => ({ key: name, also, label, act });
  const go = (at) => at !== null && at !== undefined && view.context.go(addressOf({ ...view.here, at, branch: 0, row: null }));
  const asks = (kind, label, name) => key(name, label, () => view.intervene.open(kind, kind === "edit" ? { name: (view.now.names.find((one) => one.differs) ?? view.now.names[0])?.name } : {}));
  return [
    ["Steps", [
      ...[...MOVES, ...RUNS, ...HOPS].map((one) => key(one.key, one.label, () => view.move(one), one.also)),
      key("B", "breakpoint at the selected or current line; or click a line number", () => view.breakAt(), "F9"),
      key("g", "go to step …", () => view.bar.focus()),
      key("w", "last step that wrote the focused value, or the first that differs (right)", () => view.writer("right")),
      key("W", "the same (left)", () => view.writer("left")),
      key("a", "where the focused object, or the first one shown, is written out", () => view.state.followFocused()),
      key("Y", "why the focused value, or the first that differs, is wrong", () => view.state.whyFocused()),
      key("b", "back to the step before a jump", () => view.back()),
      key("x", "swap left and right", () => view.swap()),
      key("v", "compare with the next run, or none", () => view.otherBeside()),
    ]],
    ["Branches and samples", [
      asks("edit", "change a variable here", "e"), asks("line", "force the next line", "l"),
      asks("budget", "extend the budget", "m"), asks("rewrite", "rewrite the program", "r"),
      key("s", "stop the prediction", () => view.branch().status === "running" && view.stop(view.here.branch)),
      key(".", "next branch", () => view.cycle(1)), key(",", "previous branch", () => view.cycle(-1)),
      key("]", "next sample", () => go(view.session.next)), key("[", "previous sample", () => go(view.session.previous)),
    ]],
  ];
}
