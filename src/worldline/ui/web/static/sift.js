// Filters, sorts and sums a run's samples in the browser, as index/filter, index/samples and overview do on the server. For
// bundles. A test compares both.
//
// `run` holds columns: {fields: {at, name, ...}, words, source, sources, orders, kinds, others, notes}. `words` and
// `sources` are in lower case; `source` is each row's place in `sources`; `orders` are the rows by their names and causes, because
// texts are ordered by their bytes there; `kinds` say which bucket each row is in; `others` are the same samples in the other runs.

import { mcnemar, shareOf } from "./share.js";

const WORDS = { cause: "cause", suite: "suite", type: "type", operation: "operation", ending: "status" };
const BOUNDS = { steps_min: ["steps", -1], steps_max: ["steps", 1], depth_min: ["depth", -1], depth_max: ["depth", 1] };
const FLIPS = { gained: [false, true], lost: [true, false], both: [true, true], neither: [false, false] };
const MAX_BUCKETS = 60;

/** The rows that filters select, in the order of the suite. */
export function select(run, params) {
  const tests = testsOf(run, params);
  const rows = [];
  for (let row = 0; row < run.fields.at.length; row += 1) if (tests.every((test) => test(row))) rows.push(row);
  return rows;
}

function testsOf(run, params) {
  const { fields } = run;
  const tests = [];
  for (const [name, column] of Object.entries(WORDS)) {
    if (params[name]) tests.push((row) => fields[column][row] === params[name]);
  }
  for (const name of ["answer", "trace"]) {
    if (params[name]) tests.push((row) => fields[name][row] === (params[name] === "right"));
  }
  for (const [name, [column, way]] of Object.entries(BOUNDS)) {
    if (params[name]) tests.push(bound(fields[column], Number(params[name]), way));
  }
  if (params.depth) tests.push((row) => fields.depth[row] === Number(params.depth));
  if (params.q) tests.push(holding(run, params.q.toLowerCase()));
  if (params.flip) {
    const flipOf = flipsOf(run, params.other);
    tests.push((row) => flipOf(row) === params.flip);
  }
  return tests;
}

function bound(column, value, way) {
  return (row) => column[row] !== null && (way < 0 ? column[row] >= value : column[row] <= value);
}

function holding(run, word) {
  const found = run.sources.map((source) => source.includes(word)); // each source once, however many samples have it
  return (row) => found[run.source[row]] || run.words[row].includes(word);
}

/** Returns the flip of a row from this run to the other; null if it is not counted. */
function flipsOf(run, other) {
  const otherRun = run.others[other];
  if (!otherRun) throw new Error("This bundle has no such other run.");
  return (row) => {
    const [a, b] = [run.fields.answer[row], otherRun.answer[row]];
    if (a === null || !otherRun.has[row] || b === null) return null;
    return Object.keys(FLIPS).find((flip) => FLIPS[flip][0] === a && FLIPS[flip][1] === b);
  };
}

function ordered(run, rows, sort, order) {
  const column = run.fields[sort];
  const known = rows.filter((row) => column[row] !== null);
  const unknown = rows.filter((row) => column[row] === null); // last either way, in the order of the suite
  if (run.orders[sort]) {
    const rank = run.orders[sort];
    known.sort((a, b) => rank[a] - rank[b]);
  } else if (sort !== "at") known.sort((a, b) => column[a] - column[b] || a - b);
  if (order === "desc") known.reverse();
  return known.concat(unknown);
}

/** What `/samples` answers. */
export function samples(run, { sort = "at", order = "asc", offset = 0, count = 100, other, ...filters }) {
  const rows = ordered(run, select(run, { ...filters, other }), sort, order);
  const part = rows.slice(Number(offset), Number(offset) + Number(count));
  const otherRun = other ? run.others[other] : null;
  return { total: rows.length, samples: part.map((row) => ({ ...record(run.fields, row), other: otherRun && otherRun.has[row] ? record(otherRun, row, ["answer", "trace", "cause"]) : null })) };
}

function record(fields, row, names = Object.keys(fields)) {
  return Object.fromEntries(names.map((name) => [name, fields[name][row]]));
}

/** What `/overview` answers. */
export function overview(run, { other, ...filters }) {
  const rows = select(run, { ...filters, other });
  // The filters without those of a kind, and their rows.
  const without = (own) => {
    const cleared = Object.fromEntries(Object.entries(filters).filter(([name, value]) => value && !own.includes(name)));
    return [cleared, own.some((name) => filters[name]) ? select(run, { ...cleared, other }) : rows];
  };
  const [by, more, of] = [{}, {}, {}];
  for (const kind of run.kinds) {
    const [cleared, among] = without(kind.own);
    const counts = new Map();
    of[kind.name] = among.length;
    for (const row of among) if (kind.codes[row] >= 0) count(counts, kind.codes[row], run.fields, row);
    const largest = [...counts].sort(([a, x], [b, y]) => y.n - x.n || a - b);
    if (largest.length > MAX_BUCKETS) more[kind.name] = largest.length - MAX_BUCKETS;
    const shown = largest.slice(0, MAX_BUCKETS);
    if (kind.sorted) shown.sort(([a], [b]) => kind.parts[a].rank - kind.parts[b].rank);
    by[kind.name] = shown.map(([code, some]) => ({ label: kind.parts[code].label, filter: chosen(cleared, kind.parts[code].filter), n: some.n, ...shares(some) }));
  }
  const all = new Map();
  for (const row of rows) count(all, 0, run.fields, row);
  return { n: rows.length, ...shares(all.get(0) ?? NOTHING), by, more, of, flips: other ? flips(run, other, without(["flip"])[1]) : null, notes: run.notes };
}

const NOTHING = { n: 0, judged: 0, answer: 0, trace: 0 };

function count(counts, code, fields, row) {
  const some = counts.get(code) ?? { ...NOTHING };
  some.n += 1;
  if (fields.answer[row] !== null) {
    some.judged += 1;
    some.answer += fields.answer[row] ? 1 : 0;
    some.trace += fields.trace[row] ? 1 : 0;
  }
  counts.set(code, some);
}

function shares(some) {
  return { answer: shareOf(some.answer, some.judged), trace: shareOf(some.trace, some.judged) };
}

/** Filters and those of a bucket, as an address says them. */
function chosen(filters, bucket) {
  return Object.fromEntries(Object.entries({ ...filters, ...bucket }).map(([name, value]) => [name, String(value)]));
}

function flips(run, other, rows) {
  const flipOf = flipsOf(run, other);
  const counts = { gained: 0, lost: 0, both: 0, neither: 0 };
  for (const row of rows) {
    const flip = flipOf(row);
    if (flip) counts[flip] += 1;
  }
  const otherRun = run.others[other];
  const n = counts.gained + counts.lost + counts.both + counts.neither;
  return { ...counts, p: mcnemar(counts.lost, counts.gained), only: otherRun.only, from: run.name, to: otherRun.name, n };
}
