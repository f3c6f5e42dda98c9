// The form to type a program with a call. The program is recorded and predicted, and shown in the sample view.
//
// The text stays in this tab (sessionStorage).

import { api } from "./api.js";
import { el, fill } from "./dom.js";

const STORAGE_KEY = "worldline-program";
// core/language.py's
const LANGUAGES = { python: "Python", js: "JavaScript", ts: "TypeScript", java: "Java", c: "C", cpp: "C++", rust: "Rust", go: "Go" };
// How a program that reads standard input is recognised.
const READS = { python: /(^|[^.\w])input\s*\(|\bsys\s*\.\s*stdin\b/m };
const EXAMPLE = `def count(s, letter):
    n = 0
    for c in s:
        if c == letter:
            n += 1
    return n
`;

/** The form: {element, focus(), dispose()}. */
export function programForm({ models, context }) {
  const isPredicted = models.length > 0;
  const stored = restored();
  const plain = { spellcheck: false, autocomplete: "off", autocapitalize: "off" };
  const source = el("textarea", { id: "program-source", rows: 14, value: stored.source ?? EXAMPLE, "aria-describedby": "program-problem", ...plain });
  const call = el("input", { id: "program-call", type: "text", value: stored.call ?? "count('strawberry', 'r')", placeholder: "f(1, 2); empty for a script", ...plain });
  const stdin = el("textarea", { id: "program-stdin", rows: 2, spellcheck: false, value: stored.stdin ?? "" });
  const wanted = el("p", { class: "soft", hidden: true }, "This program reads standard input, which is empty.");
  const language = el("select", { id: "program-language" }, Object.entries(LANGUAGES).map(([name, title]) => el("option", { value: name, selected: name === stored.language }, title)));
  const model = el("select", { id: "program-model" }, models.map((name) => el("option", { value: name }, name)));
  const problem = el("p", { id: "program-problem", class: "problem", role: "alert", hidden: true });
  const submit = el("button", { type: "submit", class: "main" }, isPredicted ? "Predict" : "Run");
  const form = el("form", { class: "program panel", "aria-labelledby": "program-title" },
    el("header", {}, el("h2", { id: "program-title" }, "Try a program"), el("span", { class: "soft" }, isPredicted ? "executed in a sandbox, and predicted step by step" : "executed in a sandbox, and shown step by step")),
    el("div", { class: "body" },
      el("label", { for: "program-language" }, "Language"), language,
      el("label", { for: "program-source" }, "Program"), source,
      el("label", { for: "program-call" }, "Call"), call,
      el("details", { class: "stdin" }, el("summary", {}, "Standard input"), el("label", { class: "unseen", for: "program-stdin" }, "Standard input"), stdin, wanted),
      models.length > 1 ? [el("label", { for: "program-model" }, "Model"), model] : null,
      problem,
      el("p", { class: "program-act" }, submit, el("span", { class: "soft" }, el("kbd", {}, "Ctrl"), " ", el("kbd", {}, "Enter")))));

  // Input must be typed before the program is executed, so say so in time.
  function reads() {
    const is = READS[language.value]?.test(source.value) && !stdin.value;
    if (is) form.querySelector(".stdin").open = true;
    wanted.hidden = !is;
  }

  function typed() {
    return { source: source.value, call: call.value, stdin: stdin.value, language: language.value };
  }

  async function send() {
    const body = { source: source.value, call: call.value.trim() || null, language: language.value };
    if (stdin.value) body.stdin = stdin.value;
    if (models.length > 1) body.model = model.value;
    keep(typed());
    submit.disabled = true;
    problem.hidden = true;
    source.removeAttribute("aria-invalid");
    try {
      if (!body.source.trim()) throw new Error("Type or paste a program first.");
      const created = await api.program(body);
      context.go(`#/run/${created.run}/${isPredicted ? "sample" : "view"}/${created.at}`);
    } catch (error) {
      problem.hidden = false;
      fill(problem, error.message);
      source.setAttribute("aria-invalid", "true");
      source.focus();
    } finally {
      submit.disabled = false;
    }
  }

  form.addEventListener("input", reads);
  reads();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!submit.disabled) send();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    form.requestSubmit();
    event.preventDefault();
  });
  return { element: form, focus: () => source.focus(), dispose: () => keep(typed()) };
}

function keep(typed) {
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(typed));
  } catch {
    // not stored: the browser refuses, or the program is too long
  }
}

function restored() {
  try {
    return JSON.parse(sessionStorage.getItem(STORAGE_KEY)) ?? {};
  } catch {
    return {};
  }
}
