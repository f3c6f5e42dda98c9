// The results of a quiz: what was answered, kept in the tab so that a reload loses nothing, and the score of the person and the model.

/** The results of one quiz, by question: as the server judged them. `key` names the quiz. */
export class Results {
  constructor(key) {
    this.key = `worldline-quiz ${key}`;
    this.byNumber = new Map(this.stored());
  }

  stored() {
    try {
      return JSON.parse(sessionStorage.getItem(this.key) ?? "[]");
    } catch {
      return []; // no storage in this window
    }
  }

  get(number) {
    return this.byNumber.get(number) ?? null;
  }

  set(number, result) {
    this.byNumber.set(number, result);
    this.store();
  }

  clear() {
    this.byNumber.clear();
    this.store();
  }

  store() {
    try {
      sessionStorage.setItem(this.key, JSON.stringify([...this.byNumber]));
    } catch {
      // the results last as long as this view
    }
  }

  /** The score of the questions that are answered or revealed: {you, model, of}; `model` is null without one. */
  score() {
    const results = [...this.byNumber.values()];
    const models = results.map(({ model }) => model).filter(Boolean);
    return {
      of: results.length,
      you: results.filter(({ status }) => status === "right").length,
      model: models.length ? { name: models[0].name, right: models.filter(({ status }) => status === "right").length } : null,
    };
  }
}

/** The score as a sentence. */
export function scoreText({ of, you, model }) {
  if (!of) return "no answer yet";
  return [`you ${you} of ${of}`, model ? `${model.name} ${model.right} of ${of}` : null].filter(Boolean).join(", ");
}
