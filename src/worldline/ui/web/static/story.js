// What is known of a branch as a whole: both answers, the cause of its failure with the evidence, what the model believed where it
// parted, what the interpreter's own continuation is or why there is none, and the cost. In words; nothing is computed.

import { around, difference } from "./difference.js";
import { count, cut, el, fill, oneLine, percent, plural } from "./dom.js";
import { waitsFor } from "./branches.js";
import { SIGNS } from "./now.js";
import { marked } from "./value.js";

const ENDINGS = { ended: "it came to an end", budget: "cut by the limit", empty: "it wrote nothing", broken: "broken off", fault: "the tool failed" };

/** The panel. */
export function storyPanel() {
  const body = el("div", { class: "body story" });
  const element = el("section", { class: "panel story-panel", "aria-labelledby": "story-title" }, el("header", {}, el("h2", { id: "story-title" }, "Why")), body);

  function render({ branch, session, progress }) {
    const waits = branch.status === "running" ? el("p", { class: "waits" }, waitsFor(progress.get(branch.id))) : null;
    fill(body, waits, note(branch), answer(branch, session), cause(branch), belief(branch.belief), cost(branch));
  }

  return { element, render };
}

function note(branch) {
  return [branch.note, branch.why ? `No run of the interpreter beside it: ${branch.why}` : ""].filter(Boolean).map((text) => el("p", { class: "soft" }, cut(text, 600)));
}

function answer({ answer: given, status }, session) {
  if (!given) return null;
  const [one, other] = [ending(given.truth), ending(given.found)];
  const known = one !== null;
  const [truth, found] = known && other !== null ? difference(one, other) : [[[one ?? "", false]], [[other ?? "", false]]];
  const short = (pieces) => marked(around(pieces, 600));
  const shown = (text, pieces, none) => el("dd", { class: "code text" }, text === null ? el("span", { class: "soft" }, none) : short(pieces));
  const kind = given.right ? "right" : "wrong";
  const verdict = known && status !== "running" ? el("span", { class: `verdict ${kind}` }, `${SIGNS[kind]} answer ${given.outcome ?? kind}`) : null;
  return [verdict, el("dl", { class: "facts" },
    el("dt", {}, "interpreter"), shown(one, truth, "no answer"),
    el("dt", {}, oneLine(cut(session.model || "model", 60))), shown(other, found, status === "running" ? "not yet" : "no answer"))];
}

// An ending is [event, value]; returning is what one expects, so only another event is named.
function ending(told) {
  if (told === null || told === undefined) return null;
  if (!Array.isArray(told)) return String(told);
  return told[0] === "return" ? String(told[1] ?? "") : told.filter((part) => part !== null).join(" ");
}

function cause({ cause: told, wrong }) {
  if (!told) return null;
  if (told.name === "right") return el("p", {}, el("strong", { class: "verdict right" }, `${SIGNS.right} whole trace right`));
  const about = [told.operation, told.type].filter(Boolean).map((text) => oneLine(cut(text, 120))).join(", of ");
  return el("div", { class: "cause" },
    el("h3", {}, "cause"),
    el("p", {}, el("strong", { class: "verdict wrong" }, told.name),
      told.detail ? ` · ${cut(told.detail, 300)}` : "", about ? el("span", { class: "soft" }, ` · ${about}`) : ""),
    evidence(told.evidence), evidence(wrong));
}

function evidence(told) {
  const list = Array.isArray(told) ? told : told ? [told] : [];
  return list.map((text) => el("p", { class: "evidence", tabIndex: text.length > 300 ? 0 : null }, oneLine(cut(String(text), 1000))));
}

function belief(told) {
  if (!told) return null;
  if (typeof told === "string") return el("div", {}, el("h3", {}, "belief"), el("p", {}, told));
  const line = (label, text, p) => [el("dt", {}, label), el("dd", { class: "code text" }, oneLine(cut(text ?? "", 400)), " ", el("span", { class: "soft" }, percent(p)))];
  return el("div", {}, el("h3", {}, told.step === undefined ? "belief" : `belief at step ${count(told.step)}`),
    el("dl", { class: "facts" }, line("it wrote", told.wrote, told.sure), line("the truth", told.wanted, told.truth)));
}

function cost({ cost: told, status }) {
  if (!told) return null;
  const figure = (n) => el("td", { class: "number" }, n === null || n === undefined ? "–" : count(n));
  const line = (label, bytes, tokens) => el("tr", {}, el("th", { scope: "row" }, label), figure(bytes), figure(tokens));
  const counts = told.tokenizer ? `${told.tokenizer} tokens` : "tokens";
  const heads = ["cost", "bytes", counts].map((name, at) => el("th", { scope: "col", class: at ? "number" : null }, name));
  const ended = [told.limit ? `limit ${plural(told.limit, "byte")}` : "", status === "running" ? "" : ENDINGS[told.status] ?? told.status].filter(Boolean).join(" · ");
  return [el("table", { class: "cost" }, el("thead", {}, el("tr", {}, heads)), el("tbody", {},
    line("prompt", told.prompt_bytes, told.prompt_tokens), line("interpreter", told.truth_bytes, told.truth_tokens), line("model", told.found_bytes, told.found_tokens))),
  el("p", { class: "soft" }, ended)];
}
