// Which samples of a run are wanted, and in which order: read from an address, written into one, said in words.
//
// What a filter selects is the server's (or sift.js's) business; here it is only a name and a text.

/** Every filter, with the words before its value. */
export const FILTERS = {
  q: "text", cause: "cause", suite: "suite", type: "type", operation: "operation", ending: "ending", answer: "answer",
  trace: "trace", steps_min: "steps from", steps_max: "steps to", depth: "depth", depth_min: "depth from",
  depth_max: "depth to", flip: "flip",
};
const OTHERS = ["sort", "order", "other", "row", "measure"];

/** The parameters of a route as a plain object, only those that an overview knows. */
export function stateOf(route) {
  const given = route.params instanceof URLSearchParams ? Object.fromEntries(route.params) : { ...route.params };
  const known = [...Object.keys(FILTERS), ...OTHERS].filter((name) => (given[name] ?? "") !== "");
  return Object.fromEntries(known.map((name) => [name, String(given[name])]));
}

/** The filters alone. */
export function filtersOf(state) {
  return Object.fromEntries(Object.keys(FILTERS).filter((name) => state[name]).map((name) => [name, state[name]]));
}

/** What is asked of the samples: the filters, the other run, the order. */
export function asked(state) {
  const { sort, order, other } = state;
  return { ...filtersOf(state), ...(other ? { other } : {}), ...(sort ? { sort, order: order ?? "asc" } : {}) };
}

/** The state with some of it changed; null takes a part away. A changed list is seen from its top. */
export function changed(state, change) {
  const next = { ...state, row: null, ...change };
  if (!next.other) next.flip = null;
  return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== null && value !== "").map(([k, v]) => [k, String(v)]));
}

/** The address of an overview in a state. */
export function overviewHref(run, state) {
  const text = new URLSearchParams(state).toString();
  return `#/run/${encodeURIComponent(run)}${text ? `?${text}` : ""}`;
}

/** The address of a sample, with the other run that it is compared with. */
export function sampleHref(run, at, state) {
  const other = state.other ? `?${new URLSearchParams({ other: state.other })}` : "";
  return `#/run/${encodeURIComponent(run)}/sample/${at}${other}`;
}

/** Whether a bucket is what is chosen now: a bucket's filter includes the page's of other kinds, `keys` are those of its kind. */
export function isChosen(state, filter, keys) {
  const own = keys.filter((name) => name in filter);
  return own.length > 0 && own.every((name) => state[name] === String(filter[name]));
}

/** A change of state that chooses a bucket, or lets it go again when it is the chosen one. */
export function toggled(state, filter, keys) {
  const freed = Object.fromEntries(keys.map((name) => [name, null]));
  return isChosen(state, filter, keys) ? freed : { ...freed, ...filter };
}
