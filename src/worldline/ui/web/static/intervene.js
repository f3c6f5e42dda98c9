// The panel for interventions: change a variable at this step, force the next line, extend the budget, rewrite the program. It
// builds the request and shows errors; the view starts and shows the branch.

import { count, cut, el, fill, oneLine } from "./dom.js";

const KINDS = [["edit", "Change a variable"], ["line", "Force the next line"], ["budget", "Extend the budget"], ["rewrite", "Rewrite the program"]];
const REWRITES = [
  ["flatten", "one operation per line"],
  ["chars", "string methods as loops"],
  ["both", "both"],
];

/** Why interventions are not available; "" if they are. */
export function refused(api) {
  if (api.isBundle()) return "This page is a bundle without a model. Open the run with `worldline view` to intervene.";
  if (!api.isLive()) return "This page has no model. Start `worldline view` with --model to intervene.";
  return "";
}

/** The panel; `send(intervention)` starts a branch and may reject with words. */
export function intervenePanel({ send }) {
  const body = el("div", { class: "body" });
  const why = el("p", { class: "soft", hidden: true });
  const fault = el("p", { class: "fault", role: "alert", hidden: true });
  const fields = fieldsOf();
  const radios = KINDS.map(([kind, label]) => radio(kind, label, () => pick(kind)));
  const submit = el("button", { type: "submit", class: "main" }, "Continue with the model");
  const form = el("form", { noValidate: true, on: { submit: go, keydown: enter } },
    el("fieldset", { class: "kinds" }, el("legend", { class: "unseen" }, "Intervention"), radios), Object.values(fields.groups), fault, submit);
  const element = el("section", { class: "panel intervene-panel", "aria-labelledby": "intervene-title" },
    el("header", {}, el("h2", { id: "intervene-title" }, "Intervene")), fill(body, why, form));
  let kind = "edit";
  let view = null;
  let touched = false; // do not overwrite what the user has typed

  fields.name.addEventListener("input", () => prefill(fields.name.value));
  fields.value.addEventListener("input", () => (touched = true));
  pick("edit");

  function render(now) {
    const moved = view?.step !== now.step || view?.branch.id !== now.branch.id;
    view = now;
    fill(why, now.refused).hidden = !now.refused;
    form.hidden = Boolean(now.refused);
    fill(fields.names, now.names.map(({ name }) => el("option", { value: name })));
    const alone = offers("change") ? "" : " There is no actual run to compare with: only Python executions can be changed.";
    fill(fields.where, `After step ${now.step === null ? "–" : count(now.step)} of ${now.model}.${alone}`);
    radios.at(-1).hidden = !offers("rewrite");
    if (kind === "rewrite" && !offers("rewrite")) pick("edit");
    fields.line.max = String(now.lines);
    if (!fields.limit.value && now.branch.cost?.limit) fields.limit.value = String(2 * now.branch.cost.limit);
    if (moved) clear();
    if (moved && !touched) prefill(fields.name.value);
    if (!fields.name.value && now.names.length) offer((now.names.find((name) => name.differs) ?? now.names[0]).name);
  }

  function offers(feature) {
    return !(feature in view.program.unavailable);
  }

  function clear() {
    fault.hidden = true;
  }

  function offer(name) {
    fields.name.value = name;
    touched = false;
    prefill(name);
  }

  // The actual value by default; else the predicted one.
  function prefill(name) {
    const known = view?.names.find((entry) => entry.name === name);
    if (known && !touched) fields.value.value = known.left?.text ?? known.right?.text ?? "";
    fields.true.hidden = !known?.left;
    if (known?.left) fill(fields.true, "actual value: ", el("code", {}, oneLine(cut(known.left.text, 200))));
  }

  function pick(chosen) {
    kind = chosen;
    for (const [name, group] of Object.entries(fields.groups)) group.hidden = name !== kind && !(name === "where" && (kind === "edit" || kind === "line"));
    for (const label of radios) label.firstElementChild.checked = label.firstElementChild.value === kind;
    clear();
  }

  // Enter submits: a value is one line.
  function enter(event) {
    if (event.key !== "Enter" || event.isComposing || !event.target.matches("textarea, select")) return;
    event.preventDefault();
    form.requestSubmit();
  }

  async function go(event) {
    event.preventDefault();
    clear();
    submit.disabled = true;
    const from = document.activeElement;
    try {
      await send(intervention());
      touched = false;
      // So that keys step again, unless the user is typing already.
      if (form.contains(from) && from === document.activeElement) from.blur();
    } catch (error) {
      fill(fault, error.message).hidden = false;
    } finally {
      submit.disabled = false;
    }
  }

  function intervention() {
    if (kind === "edit") {
      if (!fields.name.value) throw new Error("Enter a name.");
      return { kind, step: stepOf(), name: fields.name.value, value: fields.gone.checked ? null : fields.value.value };
    }
    if (kind === "line") return { kind, step: stepOf(), line: whole(fields.line, "a line of the program") };
    if (kind === "budget") return { kind, limit: whole(fields.limit, "a number of bytes") };
    return { kind, how: fields.how.value };
  }

  function stepOf() {
    if (view.step === null) throw new Error("The prediction has no step here.");
    return view.step;
  }

  /** Opens the panel with a kind, and what is known of it; `focus: false` only fills it in. */
  function open(chosen, { name, line, focus = true } = {}) {
    if (view?.refused && focus) return element.scrollIntoView({ block: "nearest" });
    if (chosen === "rewrite" && view && !offers("rewrite")) return void (fill(fault, "Only Python programs can be rewritten.").hidden = false);
    pick(chosen);
    if (name !== undefined) offer(name);
    if (line !== undefined) fields.line.value = String(line);
    if (!focus) return undefined;
    element.scrollIntoView({ block: "nearest" });
    const first = { edit: name === undefined ? fields.name : fields.value, line: fields.line, budget: fields.limit, rewrite: fields.how }[chosen];
    first.focus();
    return first.select?.();
  }

  return { element, render, open };
}

function whole(field, what) {
  const n = Number(field.value);
  if (!field.value || !Number.isInteger(n) || n < 1) throw new Error(`Enter ${what}.`);
  return n;
}

function radio(kind, label, act) {
  return el("label", {}, el("input", { type: "radio", name: "kind", value: kind, on: { change: act } }), ` ${label}`);
}

function fieldsOf() {
  const name = el("input", { type: "text", class: "code", autocomplete: "off", spellcheck: false, maxLength: 1000 });
  name.setAttribute("list", "names-here");
  const names = el("datalist", { id: "names-here" });
  const value = el("textarea", { rows: 2, spellcheck: false, maxLength: 100_000 });
  const gone = el("input", { type: "checkbox", on: { change: () => (value.disabled = gone.checked) } });
  const line = el("input", { type: "number", min: 1, step: 1 });
  const limit = el("input", { type: "number", min: 1, step: 1 });
  const how = el("select", {}, REWRITES.map(([word, label]) => el("option", { value: word }, label)));
  const where = el("p", { class: "soft" });
  const truth = el("p", { class: "soft true-value" });
  const labelled = (text, control) => el("label", { class: "field" }, el("span", {}, text), control);
  const groups = {
    where,
    edit: el("div", {}, labelled("name", name), names, labelled("value", value), truth, el("label", {}, gone, " delete the name")),
    line: el("div", {}, labelled("next line", line), el("p", { class: "soft" }, "Or choose a line in the source.")),
    budget: el("div", {}, labelled("maximum bytes", limit)),
    rewrite: el("div", {}, labelled("rewrite", how)),
  };
  return { name, names, value, gone, line, limit, how, where, true: truth, groups };
}
