// Why a value is wrong: the chain of operations that led to it, newest first, with both sides of every value. The server
// finds the chain (`diagnose/why`); a bundle has that of each wrong value.

import { around, difference } from "./difference.js";
import { count, cut, el, fill, oneLine } from "./dom.js";
import { icon } from "./icons.js";
import { wrapped } from "./value.js";

const MAX_VALUE = 160; // characters of a value
const ORIGIN = "right operands, wrong result: the error is here";

/** A button that asks why: `question` is {name, left_frame, right_frame, key} of the row in hand, `what` names it. */
export function whyButton(question, what, why) {
  return el("button", {
    type: "button", class: "quiet why-button", title: "Why is it wrong? (Y)", "aria-label": `Why is ${oneLine(cut(what, 80))} wrong?`,
    data: { why: question.key }, on: { click: (event) => why(question, event.currentTarget) },
  }, "why");
}

/** The key of a name's chain in a bundle, as `chain_key` in ui/session/why.py makes it: who wrote it on each side. */
export function nameKey(name, frames, rows) {
  return [...frames, ...rows].map((place) => place ?? "").concat(name).join("/");
}

/** The key of the chain of what a row returns, raises or prints. */
export function rowKey(row) {
  return `${row}//`;
}

/** The panel; `ask(question)` gets a chain, `jump(row, name)` goes to a link, `failed(error)` reports. */
export function whyPanel({ ask, jump, failed }) {
  const body = el("div", { class: "body why" });
  const title = el("h2", { id: "why-title", tabIndex: -1 }, "Why");
  const leave = el("button", { type: "button", class: "quiet", "aria-label": "Close why", title: "Close (Esc)", on: { click: () => close() } }, icon("close"));
  const element = el("section", { class: "panel why-panel", hidden: true, "aria-labelledby": "why-title", on: { keydown: escaped } }, el("header", {}, title, leave), body);
  let turn = 0;
  let place = null; // what is compared: the chain of other runs is not shown beside them
  let key = null;
  let view = null;

  function escaped(event) {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    close();
  }

  function close() {
    turn += 1;
    element.hidden = true;
    // The state is drawn anew by every step, so the button is looked up.
    document.querySelector(`[data-why="${CSS.escape(key ?? "")}"]`)?.focus();
  }

  async function open(question, button) {
    const mine = (turn += 1);
    const asked = place;
    button?.setAttribute("aria-busy", "true");
    try {
      const chain = await ask(question);
      if (mine !== turn || asked !== place) return;
      key = question.key;
      show(chain);
    } catch (error) {
      failed(error);
    } finally {
      button?.removeAttribute("aria-busy");
    }
  }

  function show(chain) {
    fill(title, "Why ", el("span", { class: "code" }, oneLine(cut(chain.name, 80))));
    fill(body,
      el("p", { class: "why-asked" }, chain.is_wrong ? verdictOf(chain) : "It is right. This is where it comes from."),
      el("ol", { class: "chain" }, chain.links.map((link, at) => linkItem(link, at, chain.links))),
      chain.links.length ? null : el("p", { class: "soft" }, "No step of either side set it."),
      chain.notes.map((text) => el("p", { class: "soft" }, oneLine(cut(text, 400)))));
    element.hidden = false;
    current();
    title.focus({ preventScroll: true });
    element.scrollIntoView({ block: "nearest" });
    if (element.parentElement) element.parentElement.scrollTop = 0;
  }

  function verdictOf({ links }) {
    const origins = links.filter((link) => link.is_origin);
    if (!origins.length) return "Where it went wrong is not among these steps.";
    return ["The error is made at ", origins.map((link, at) => [at ? " and " : null, toStep(link, "origin-step")]), "."];
  }

  const toStep = ({ row, name }, kind) => el("button", { type: "button", class: `quiet ${kind}`, data: { row }, title: `Go to step ${count(row)}`, on: { click: () => jump(row, name) } }, `step ${count(row)}`);

  function linkItem(link, at, links) {
    const behind = link.feeds !== null && link.feeds !== at - 1 ? links[link.feeds] : null;
    const operation = link.operation && link.is_origin ? el("span", { class: "soft" }, ` (${oneLine(cut(link.operation, 60))})`) : null;
    return el("li", { class: link.is_origin ? "origin" : null },
      el("div", { class: "link-head" }, toStep(link, "link-step"), el("span", { class: "soft" }, oneLine(link.place)),
        link.times > 1 ? el("span", { class: "soft" }, `${count(link.times)} times`) : null),
      el("div", {}, link.text ? [el("code", {}, oneLine(cut(link.text, 300))), " "] : null, oneLine(link.verb), operation, behind ? el("span", { class: "soft" }, `, behind ${oneLine(cut(behind.name, 60))}`) : null),
      values(link), link.is_origin ? el("p", { class: "verdict wrong" }, ORIGIN) : null,
      link.note ? el("p", { class: "soft link-note" }, oneLine(cut(link.note, 400))) : null);
  }

  function values(link) {
    const rows = [{ text: link.name, wanted: link.wanted, got: link.got, is_wrong: link.is_wrong, isResult: true }, ...link.operands];
    const sides = view?.sides ?? { left: "actual", right: "predicted" };
    const known = rows.filter(({ wanted, got }) => wanted !== null || got !== null);
    if (!known.length) return null;
    return el("table", { class: "names link-values" },
      el("thead", {}, el("tr", {}, [link.operands.length ? "value" : "", sides.left, sides.right].map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, known.map((row) => valueRow(row))));
  }

  function current() {
    for (const button of body.querySelectorAll("[data-row]")) {
      if (Number(button.dataset.row) === view?.row) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    }
  }

  /** Marks the links of the row in hand; a chain of other runs is closed. */
  function render(now) {
    view = now;
    if (place !== null && place !== now.compared && !element.hidden) close();
    place = now.compared;
    current();
  }

  return { element, render, open };
}

function valueRow({ text, wanted, got, is_wrong: isWrong, isResult = false }) {
  const pieces = wanted !== null && got !== null && isWrong ? difference(wanted, got) : [wanted, got].map((value) => [[value ?? "", false]]);
  const cell = (value, part) => el("td", { class: "value" }, value === null ? el("span", { class: "soft" }, "no value") : el("span", { class: "code text" }, wrapped(around(part, MAX_VALUE))));
  return el("tr", { class: [isWrong ? "differs" : "", isResult ? "result" : ""].filter(Boolean).join(" ") || null },
    el("th", { scope: "row", class: "code" }, oneLine(cut(text, 80)), isWrong ? el("span", { class: "unseen" }, " differs") : null), cell(wanted, pieces[0]), cell(got, pieces[1]));
}
