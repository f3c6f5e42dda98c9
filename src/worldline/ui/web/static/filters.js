// The filters and sort order of an overview, as parameters of an address. The server or sift.js applies them.

/** Every filter, with its label. */
export const FILTERS = {
  q: "text", cause: "cause", suite: "suite", type: "type", operation: "operation", ending: "ending", answer: "answer",
  trace: "trace", steps_min: "steps from", steps_max: "steps to", depth: "depth", depth_min: "depth from",
  depth_max: "depth to", flip: "flip",
};
const OTHERS = ["sort", "order", "other", "row", "measure"];

/** The known parameters of a route, as an object. */
export function stateOf(route) {
  const values = route.params instanceof URLSearchParams ? Object.fromEntries(route.params) : { ...route.params };
  const known = [...Object.keys(FILTERS), ...OTHERS].filter((name) => (values[name] ?? "") !== "");
  return Object.fromEntries(known.map((name) => [name, String(values[name])]));
}

/** The filters alone. */
export function filtersOf(state) {
  return Object.fromEntries(Object.keys(FILTERS).filter((name) => state[name]).map((name) => [name, state[name]]));
}

/** The query for samples: the filters, the other run, the order. */
export function sampleQuery(state) {
  const { sort, order, other } = state;
  return { ...filtersOf(state), ...(other ? { other } : {}), ...(sort ? { sort, order: order ?? "asc" } : {}) };
}

/** The state with a change; null removes a part. A changed list starts at its top. */
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

/** Whether a bucket is selected; `keys` are the filters of its kind. */
export function isChosen(state, filter, keys) {
  const own = keys.filter((name) => name in filter);
  return own.length > 0 && own.every((name) => state[name] === String(filter[name]));
}

/** The change that selects a bucket, or clears it if it is selected. */
export function toggled(state, filter, keys) {
  const cleared = Object.fromEntries(keys.map((name) => [name, null]));
  return isChosen(state, filter, keys) ? cleared : { ...cleared, ...filter };
}
