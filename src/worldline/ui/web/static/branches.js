// The branches of a session as a tree: the root, and under each branch those that were made from it. Choosing one shows it. The tree
// is one stop of the Tab key; arrows move in it, as in every tree.

import { count, cut, el, fill, oneLine, plural } from "./dom.js";

/** An intervention in a few words. */
export function named(intervention) {
  if (!intervention) return "the run";
  const { kind, step, name, value, line, limit, how } = intervention;
  const at = step === undefined || step === null ? "" : ` at step ${count(step)}`;
  if (kind === "edit") return value === null ? `${name} gone${at}` : `${name} = ${cut(value, 60)}${at}`;
  if (kind === "line") return `line ${line} forced${at}`;
  if (kind === "budget") return `budget ${count(limit)} bytes`;
  if (kind === "rewrite") return `rewritten: ${how}`;
  return kind;
}

/** The panel; `choose(id)` shows a branch, `stop(id)` stops one that is still written. */
export function branchesPanel({ choose, stop }) {
  const tree = el("ul", { class: "tree", role: "tree", "aria-labelledby": "branches-title" });
  const element = el("section", { class: "panel branches-panel", "aria-labelledby": "branches-title" },
    el("header", {}, el("h2", { id: "branches-title" }, "Branches")), el("div", { class: "body" }, tree));

  function render({ session, branch, progress }) {
    const held = tree.contains(document.activeElement);
    fill(tree, ordered(session.branches).map(({ one, deep }) => item(one, deep, one.id === branch.id, progress.get(one.id))));
    if (held) tree.querySelector("[aria-selected=true]")?.focus();
  }

  function item(one, deep, chosen, told) {
    const twig = deep ? el("span", { class: "soft", "aria-hidden": "true" }, "└ ") : null;
    const made = el("li", {
      role: "treeitem", tabIndex: chosen ? 0 : -1, "aria-selected": String(chosen), "aria-level": deep + 1,
      class: "branch", data: { id: one.id }, on: { click: () => choose(one.id) },
    }, el("span", { class: "branch-name" }, twig, oneLine(named(one.intervention))), state(one, told));
    made.style.paddingLeft = `${8 + 14 * Math.min(deep, 8)}px`;
    if (one.status === "running") {
      const halt = (event) => {
        event.stopPropagation(); // to stop a branch is not to choose it
        stop(one.id);
      };
      made.append(el("button", { type: "button", class: "quiet stop", "aria-label": `Stop ${named(one.intervention)}`, on: { click: halt } }, "■ stop"));
    }
    return made;
  }

  tree.addEventListener("keydown", (event) => {
    const items = [...tree.children];
    const at = items.indexOf(event.target.closest("li"));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (event.target.tagName === "BUTTON" || at < 0) return;
    if (event.key === "Enter" || event.key === " ") choose(Number(items[at].dataset.id));
    else if (to === undefined) return;
    else if (items[to]) {
      items[to].focus();
      choose(Number(items[to].dataset.id));
    }
    event.preventDefault();
    event.stopPropagation();
  });

  return { element, render };
}

/** The branches with their depth, each after its parent and before its parent's next child. */
export function ordered(branches) {
  const found = [];
  const below = (parent, deep) => {
    for (const one of branches) {
      if ((one.parent ?? null) !== parent || found.some((other) => other.one === one)) continue;
      found.push({ one, deep });
      below(one.id, deep + 1);
    }
  };
  below(null, 0);
  return found;
}

/** What a branch that is not over waits for, out of its newest report; none at its very beginning. */
export function waitsFor(told) {
  if (!told) return "begins";
  if (told.ahead) return `waits for its turn, behind ${plural(told.ahead, "other branch", "other branches")}`;
  if (told.stage === "truth") return "waits for the interpreter, which runs the program";
  if (!told.steps) return "waits for the first step of the model";
  return `the model writes: ${plural(told.steps, "step")}, ${plural(told.bytes, "byte")}`;
}

function state(one, told) {
  if (one.status === "running") {
    return el("span", { class: "branch-state running" }, el("span", { class: "pulse", "aria-hidden": "true" }), waitsFor(told));
  }
  if (one.status !== "done") return el("span", { class: "branch-state verdict wrong" }, one.status);
  if (!one.answer || one.answer.truth === null || one.answer.truth === undefined) return el("span", { class: "branch-state soft" }, "no truth");
  const kind = one.answer.right ? (one.first === null || one.first === undefined ? "right" : "consequential") : "wrong";
  const words = { right: "✓ as the interpreter", consequential: "≈ answer right, trace parts", wrong: `✗ answer ${one.answer.outcome ?? "wrong"}` }[kind];
  return el("span", { class: `branch-state verdict ${kind}` }, words);
}
