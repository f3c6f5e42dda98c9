// The branches of a sample as a tree. Selecting a branch shows it. Tab reaches the tree, and arrow keys move in it.

import { count, cut, el, fill, oneLine, plural } from "./dom.js";

/** An intervention in a few words. */
export function named(intervention) {
  if (!intervention) return "original run";
  const { kind, step, name, value, line, limit, how } = intervention;
  const at = step === undefined || step === null ? "" : ` at step ${count(step)}`;
  if (kind === "edit") return value === null ? `${name} deleted${at}` : `${name} = ${cut(value, 60)}${at}`;
  if (kind === "line") return `line ${line} forced${at}`;
  if (kind === "budget") return `budget ${count(limit)} bytes`;
  if (kind === "rewrite") return `rewritten: ${how}`;
  return kind;
}

/** The panel; `choose(id)` shows a branch, `stop(id)` stops one that is being predicted. */
export function branchesPanel({ choose, stop }) {
  const tree = el("ul", { class: "tree", role: "tree", "aria-labelledby": "branches-title" });
  const element = el("section", { class: "panel branches-panel", "aria-labelledby": "branches-title" },
    el("header", {}, el("h2", { id: "branches-title" }, "Branches")), el("div", { class: "body" }, tree));

  function render({ session, branch, progress }) {
    const held = tree.contains(document.activeElement);
    fill(tree, ordered(session.branches).map(({ node, depth }) => item(node, depth, node.id === branch.id, progress.get(node.id))));
    if (held) tree.querySelector("[aria-selected=true]")?.focus();
  }

  function item(node, depth, chosen, report) {
    const twig = depth ? el("span", { class: "soft", "aria-hidden": "true" }, "└ ") : null;
    const element = el("li", {
      role: "treeitem", tabIndex: chosen ? 0 : -1, "aria-selected": String(chosen), "aria-level": depth + 1,
      class: "branch", data: { id: node.id }, on: { click: () => choose(node.id) },
    }, el("span", { class: "branch-name" }, twig, oneLine(named(node.intervention))), state(node, report));
    element.style.paddingLeft = `${8 + 14 * Math.min(depth, 8)}px`;
    if (node.status === "running") {
      const halt = (event) => {
        event.stopPropagation(); // to stop a branch is not to choose it
        stop(node.id);
      };
      element.append(el("button", { type: "button", class: "quiet stop", "aria-label": `Stop ${named(node.intervention)}`, on: { click: halt } }, "stop"));
    }
    return element;
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
  const listed = [];
  const below = (parent, depth) => {
    for (const node of branches) {
      if ((node.parent ?? null) !== parent || listed.some((other) => other.node === node)) continue;
      listed.push({ node, depth });
      below(node.id, depth + 1);
    }
  };
  below(null, 0);
  return listed;
}

/** What a running branch waits for, from its newest report (undefined at the start). */
export function waitsFor(report) {
  if (!report) return "starting";
  if (report.ahead) return `waiting for its turn, after ${plural(report.ahead, "other branch", "other branches")}`;
  if (report.stage === "truth") return "waiting for the interpreter to execute the program";
  if (!report.steps) return "waiting for the first predicted step";
  return `predicting: ${plural(report.steps, "step")}, ${plural(report.bytes, "byte")}`;
}

function state(node, report) {
  if (node.status === "running") {
    return el("span", { class: "branch-state running" }, el("span", { class: "pulse", "aria-hidden": "true" }), waitsFor(report));
  }
  if (node.status !== "done") return el("span", { class: "branch-state verdict wrong" }, node.status);
  if (!node.answer || node.answer.truth === null || node.answer.truth === undefined) return el("span", { class: "branch-state soft" }, "no actual run");
  const kind = node.answer.right ? (node.first === null || node.first === undefined ? "right" : "consequential") : "wrong";
  const words = { right: "✓ trace right", consequential: "≈ answer right, trace diverges", wrong: `✗ answer ${node.answer.outcome ?? "wrong"}` }[kind];
  return el("span", { class: `branch-state verdict ${kind}` }, words);
}
