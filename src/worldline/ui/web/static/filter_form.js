// The form that filters a run's samples, and the chips of the active filters.
//
// The choices come from the figures of the whole run. The form keeps no state: it reports every change, and `show` sets
// the new state.

import { count, el, fill } from "./dom.js";
import { icon } from "./icons.js";
import { FILTERS, filtersOf } from "./filters.js";

const CHOICES = { cause: "any cause", suite: "any suite", type: "any type", ending: "any ending" };
const VERDICTS = { answer: "any answer", trace: "any trace" };
const CHIPS = { gained: "gained", lost: "lost", both: "right in both", neither: "wrong in both" };

/** A form in `root`; calls `change(part, {typing})` with what was changed. */
export class FilterForm {
  constructor({ root, chips, change, leave }) {
    this.change = change;
    this.chips = chips;
    this.fields = {};
    const form = el("form", { class: "filters", role: "search", "aria-label": "Filter the samples", on: { submit: (event) => event.preventDefault() } });
    this.search = this.field("q", el("input", {
      type: "search", class: "search", placeholder: "Search name, call, cause, source", "aria-label": "Search the samples",
      autocomplete: "off", spellcheck: false, maxLength: 200,
    }));
    this.search.addEventListener("input", () => change({ q: this.search.value }, { typing: true }));
    this.search.addEventListener("keydown", (event) => this.onKey(event, leave));
    const selects = [...Object.keys(CHOICES), ...Object.keys(VERDICTS)].map((name) => this.select(name));
    const lengths = el("span", { class: "lengths" }, this.number("steps_min", "at least"), "–", this.number("steps_max", "at most"), "steps");
    this.more = el("details", { class: "more" }, el("summary", {}, "Filters"), el("div", { class: "choices" }, selects, lengths));
    this.more.open = !matchMedia("(max-width: 700px)").matches;
    fill(root, fill(form, this.search, this.more));
  }

  field(name, element) {
    this.fields[name] = element;
    return element;
  }

  select(name) {
    const element = this.field(name, el("select", { name, "aria-label": `Filter by ${FILTERS[name]}` }));
    element.addEventListener("change", () => this.change({ [name]: element.value }, {}));
    return element;
  }

  number(name, placeholder) {
    const element = this.field(name, el("input", { type: "text", inputMode: "numeric", pattern: "[0-9]*", maxLength: 9, placeholder, name, "aria-label": `Steps, ${placeholder}` }));
    element.addEventListener("input", () => element.validity.valid && this.change({ [name]: element.value }, { typing: true }));
    return element;
  }

  onKey(event, leave) {
    if (event.key === "Escape" && this.search.value) {
      this.search.value = "";
      this.change({ q: "" }, { typing: true });
    } else if (event.key === "Escape" || event.key === "ArrowDown" || event.key === "Enter") leave();
    else return;
    event.preventDefault();
  }

  /** Sets the choices: the buckets of the whole run. */
  offer(by) {
    for (const [name, any] of Object.entries(CHOICES)) {
      const options = (by[name] ?? []).filter((bucket) => name in bucket.filter);
      fill(this.fields[name], option("", any), options.map((bucket) => option(String(bucket.filter[name]), `${bucket.label} (${count(bucket.n)})`)));
      this.fields[name].hidden = options.length < 2;
    }
    for (const [name, any] of Object.entries(VERDICTS)) {
      fill(this.fields[name], option("", any), option("right", `${name} right`), option("wrong", `${name} wrong`));
    }
  }

  /** Shows a state, except in the field that is being typed into. */
  show(state) {
    for (const [name, element] of Object.entries(this.fields)) {
      if (element === document.activeElement && element.tagName === "INPUT") continue;
      const value = state[name] ?? "";
      if (element.tagName === "SELECT" && value && ![...element.options].some((one) => one.value === value)) element.append(option(value, value));
      element.value = value;
      element.classList.toggle("chosen", Boolean(value));
    }
    const chosen = Object.entries(filtersOf(state));
    const clear = el("button", { type: "button", class: "quiet clear", on: { click: () => this.clear(state) } }, "Clear all");
    fill(this.chips, chosen.map(([name, value]) => this.chip(name, value)), chosen.length > 1 ? clear : null);
    this.chips.hidden = !chosen.length;
  }

  chip(name, value) {
    const words = name === "flip" ? CHIPS[value] ?? value : `${FILTERS[name]} ${value}`;
    const act = () => this.change({ [name]: null }, {});
    return el("button", { type: "button", class: "chip", title: "Remove this filter", "aria-label": `${words}: remove this filter`, on: { click: act } }, words, " ", icon("close"));
  }

  /** Clears every filter. */
  clear(state) {
    this.change(Object.fromEntries(Object.keys(filtersOf(state)).map((name) => [name, null])), {});
  }

  /** Focuses the search, or the first choice. */
  focus(where) {
    if (where === "search") this.search.select();
    else {
      this.more.open = true;
      Object.values(this.fields).find((element) => element.tagName === "SELECT" && !element.hidden)?.focus();
    }
    if (where === "search") this.search.focus();
  }
}

function option(value, label) {
  return el("option", { value }, label);
}
