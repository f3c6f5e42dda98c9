// The API of a page without a server: the same answers, from a bundle.
//
// `source` comes from the bundle's first script: {runs, load(name) -> promise of an object}. The samples of a run are one
// object, which sift.js filters; the steps of a sample are loaded when it is opened. Interventions are refused.

import { judge } from "./judge.js";
import { overview, samples } from "./sift.js";

const ASLEEP = "This page is a bundle without a model. Open the run with `worldline view` to intervene.";

/** The API of a bundle; `Refusal` is the class of its errors. */
export function bundled(source, Refusal) {
  const missing = (words) => new Refusal("not-bundled", words, 404);
  const refuse = async () => {
    throw new Refusal("not-live", ASLEEP, 403);
  };

  async function sample(run, at, params = {}) {
    const other = params.other ? `-${params.other}` : "";
    const data = await source.load(`sample-${run}-${at}${other}`);
    if (!data) throw missing("This bundle does not include the steps of this sample: they exceed --max-samples, or the sample could not be read.");
    return data;
  }

  async function pair(run, at, params = {}) {
    const { branch = 0, left = "truth", right = "found" } = params;
    const isBeside = left === "other" || right === "other";
    const data = (await sample(run, at, isBeside ? params : {})).pairs[`${branch}/${left}/${right}`];
    if (!data) throw missing(`This bundle does not include the comparison of ${left} and ${right}.`);
    return data;
  }

  async function runView(run, at) {
    const data = await source.load(`view-${run}-${at}`);
    if (!data) throw missing("This bundle does not include the view of this run.");
    return data;
  }

  async function rows(run) {
    const data = await source.load(`run-${run}`);
    if (!data) throw missing("This bundle has no such run.");
    return data;
  }

  async function quiz(number) {
    const data = await source.load(`quiz-${number}`);
    if (!data) throw missing("This bundle has no such quiz.");
    return data;
  }

  async function answer(number, question, text) {
    const { quiz: { program }, questions, answers } = await quiz(number);
    const truth = answers[question];
    if (text === null) return truth;
    const judged = judge(questions[question], truth.truth, text, program);
    return judged.status === "malformed" ? { number: question, answer: text, ...judged } : { ...truth, answer: text, ...judged };
  }

  return {
    runs: async () => source.runs,
    overview: async (run, params = {}) => overview(await rows(run), params),
    samples: async (run, params = {}) => samples(await rows(run), params),
    sample: async (run, at, params) => (await sample(run, at, params)).scene,
    timeline: async (run, at, params) => (await pair(run, at, params)).timeline,
    async chunk(run, at, k, params) {
      const chunk = (await pair(run, at, params)).chunks[k];
      if (!chunk) throw missing("There is no such step.");
      return chunk;
    },
    runOverview: async (run, at) => (await runView(run, at)).overview,
    runChunk: async (run, at, k) => (await runView(run, at)).chunks[k],
    async why(run, at, { key, ...params }) {
      const chain = (await pair(run, at, params)).whys?.[key];
      if (!chain) throw missing("This bundle does not include the chain of this value. Open the run with `worldline view`.");
      return chain;
    },
    quiz: async (number) => (await quiz(number)).quiz,
    async question(number, question) {
      const data = (await quiz(number)).questions[question];
      if (!data) throw missing("There is no such question.");
      return data;
    },
    answer,
    branch: refuse,
    stop: refuse,
    program: refuse,
    events: refuse,
    isLive: () => false,
    isBundle: () => true,
  };
}
