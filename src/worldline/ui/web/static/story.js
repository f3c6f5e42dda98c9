// The diagnosis of a branch: both answers, the cause with its evidence, the model's belief at the divergence, and the cost.

import { around, difference } from "./difference.js";
import { count, cut, el, fill, oneLine, percent, plural } from "./dom.js";
import { waitsFor } from "./branches.js";
import { SIGNS } from "./now.js";
import { wrapped } from "./value.js";

const ENDINGS = { ended: "ended", budget: "cut off at the limit", empty: "nothing predicted", broken: "no next byte", fault: "tool fault" };

/** The panel. */
export function storyPanel() {
  const body = el("div", { class: "body story" });
  const element = el("section", { class: "panel story-panel", "aria-labelledby": "story-title" }, el("header", {}, el("h2", { id: "story-title" }, "Diagnosis")), body);

  function render({ branch, session, progress }) {
    const waits = branch.status === "running" ? el("p", { class: "waits" }, waitsFor(progress.get(branch.id))) : null;
    fill(body, waits, note(branch), answer(branch, session), cause(branch), belief(branch.belief), cost(branch));
  }

  return { element, render };
}

function note(branch) {
  return [branch.note, branch.why ? `No actual run to compare with: ${branch.why}` : ""].filter(Boolean).map((text) => el("p", { class: "soft" }, cut(text, 600)));
}

function answer({ answer: reported, status }, session) {
  if (!reported) return null;
  const [actual, predicted] = [ending(reported.truth), ending(reported.found)];
  const known = actual !== null;
  const [actualPieces, predictedPieces] = known && predicted !== null ? difference(actual, predicted) : [[[actual ?? "", false]], [[predicted ?? "", false]]];
  const short = (pieces) => wrapped(around(pieces, 600));
  const shown = (text, pieces, none) => el("dd", { class: "code text" }, text === null ? el("span", { class: "soft" }, none) : short(pieces));
  const kind = reported.right ? "right" : "wrong";
  const verdict = known && status !== "running" ? el("span", { class: `verdict ${kind}` }, `${SIGNS[kind]} answer ${reported.outcome ?? kind}`) : null;
  return [verdict, el("dl", { class: "facts" },
    el("dt", {}, "actual"), shown(actual, actualPieces, "no answer"),
    el("dt", {}, oneLine(cut(session.model || "model", 60))), shown(predicted, predictedPieces, status === "running" ? "not yet" : "no answer"))];
}

// An ending is [event, value]; the event is left out if it is a return.
function ending(facts) {
  if (facts === null || facts === undefined) return null;
  if (!Array.isArray(facts)) return String(facts);
  return facts[0] === "return" ? String(facts[1] ?? "") : facts.filter((part) => part !== null).join(" ");
}

function cause({ cause: facts, wrong }) {
  if (!facts) return null;
  if (facts.name === "right") return el("p", {}, el("strong", { class: "verdict right" }, `${SIGNS.right} whole trace right`));
  const about = [facts.operation, facts.type].filter(Boolean).map((text) => oneLine(cut(text, 120))).join(", of ");
  return el("div", { class: "cause" },
    el("h3", {}, "cause"),
    el("p", {}, el("strong", { class: "verdict wrong" }, facts.name),
      facts.detail ? ` · ${cut(facts.detail, 300)}` : "", about ? el("span", { class: "soft" }, ` · ${about}`) : ""),
    evidence(facts.evidence), evidence(wrong));
}

function evidence(facts) {
  const list = Array.isArray(facts) ? facts : facts ? [facts] : [];
  return list.map((text) => el("p", { class: "evidence", tabIndex: text.length > 300 ? 0 : null }, oneLine(cut(String(text), 1000))));
}

function belief(facts) {
  if (!facts) return null;
  if (typeof facts === "string") return el("div", {}, el("h3", {}, "belief"), el("p", {}, facts));
  const line = (label, text, p) => [el("dt", {}, label), el("dd", { class: "code text" }, wrapped([[cut(text ?? "", 400), false]]), " ", el("span", { class: "soft" }, percent(p)))];
  return el("div", {}, el("h3", {}, facts.step === undefined ? "belief" : `belief at step ${count(facts.step)}`),
    el("dl", { class: "facts" }, line("predicted", facts.wrote, facts.sure), line("actual", facts.wanted, facts.truth)));
}

function cost({ cost: facts, status }) {
  if (!facts) return null;
  const figure = (n) => el("td", { class: "number" }, n === null || n === undefined ? "–" : count(n));
  const line = (label, bytes, tokens) => el("tr", {}, el("th", { scope: "row" }, label), figure(bytes), figure(tokens));
  const counts = facts.tokenizer ? `${facts.tokenizer} tokens` : "tokens";
  const heads = ["cost", "bytes", counts].map((name, at) => el("th", { scope: "col", class: at ? "number" : null }, name));
  const ended = [facts.limit ? `limit ${plural(facts.limit, "byte")}` : "", status === "running" ? "" : ENDINGS[facts.status] ?? facts.status].filter(Boolean).join(" · ");
  return [el("table", { class: "cost" }, el("thead", {}, el("tr", {}, heads)), el("tbody", {},
    line("prompt", facts.prompt_bytes, facts.prompt_tokens), line("actual", facts.truth_bytes, facts.truth_tokens), line("predicted", facts.found_bytes, facts.found_tokens))),
  el("p", { class: "soft" }, ended)];
}
