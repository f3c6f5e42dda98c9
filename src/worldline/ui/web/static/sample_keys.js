// The keys of the sample view: which key does what. The doing is the view's.

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
      key("B", "breakpoint at the chosen line, or the one that runs; a click on a line's number does the same", () => view.breakAt(), "F9"),
      key("g", "go to step …", () => view.bar.focus()),
      key("w", "last writer of the value in focus, or of the first that differs, on the right", () => view.writer("right")),
      key("W", "the same on the left", () => view.writer("left")),
      key("a", "where the object in focus, or the first that is shown, is written out", () => view.state.followFocused()),
      key("b", "back to where a jump began", () => view.back()),
      key("x", "swap left and right", () => view.swap()),
      key("v", "versus the next run, or none", () => view.otherBeside()),
    ]],
    ["Branches and samples", [
      asks("edit", "change a variable here", "e"), asks("line", "force the next line", "l"),
      asks("budget", "extend the budget", "m"), asks("rewrite", "rewrite the program", "r"),
      key("s", "stop what the model is writing", () => view.branch().status === "running" && view.stop(view.here.branch)),
      key(".", "next branch", () => view.cycle(1)), key(",", "previous branch", () => view.cycle(-1)),
      key("]", "next sample", () => go(view.session.next)), key("[", "previous sample", () => go(view.session.previous)),
    ]],
  ];
}
