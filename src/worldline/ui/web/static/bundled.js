// The same answers as the server's, out of a bundle: a page that is opened from a file, with nothing behind it.
//
// `source` is what the bundle's first script left: {runs, load(name) -> promise of an object}. The samples of a run
// come as one object and are sifted here (sift.js); the steps of a sample come when it is opened. A model cannot
// be asked anything from a file, so every intervention is refused in words.

import { overview, samples } from "./sift.js";

const ASLEEP = "This page is a bundle: a file with no model behind it. Open the run with `worldline view` to intervene.";

/** An api over a bundle; `Refusal` is the error the views expect. */
export function bundled(source, Refusal) {
  const missing = (words) => new Refusal("not-bundled", words, 404);
  const refuse = async () => {
    throw new Refusal("not-live", ASLEEP, 403);
  };

  async function sample(run, at, params = {}) {
    const other = params.other ? `-${params.other}` : "";
    const found = await source.load(`sample-${run}-${at}${other}`);
    if (!found) throw missing("The steps of this sample are not part of this bundle: it was made with a limit, or the sample could not be read.");
    return found;
  }

  async function pair(run, at, params = {}) {
    const { branch = 0, left = "truth", right = "found" } = params;
    const isBeside = left === "other" || right === "other";
    const found = (await sample(run, at, isBeside ? params : {})).pairs[`${branch}/${left}/${right}`];
    if (!found) throw missing(`This bundle has no comparison of ${left} and ${right} here.`);
    return found;
  }

  async function rows(run) {
    const found = await source.load(`run-${run}`);
    if (!found) throw missing("This bundle has no such run.");
    return found;
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
    branch: refuse,
    stop: refuse,
    program: refuse,
    events: refuse,
    isLive: () => false,
    isBundle: () => true,
  };
}
