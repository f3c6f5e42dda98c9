// Computes from a chunk of rows (`ui/session/chunk.py`) what one side shows at a row: live frames, values, output.

const MAX_OUTPUT_CHARS = 20_000; // of the newest output

/** A side before its first chunk. */
export const NOTHING = { cell: null, own: false, stack: [], output: "" };

/**
 * The side ("left" | "right") of a chunk after row `row`: {cell, own, stack, output}. `cell` is the newest one at or before the
 * row (null before the first), `own` whether it is the row's own. A frame of the stack, outermost first, is
 * {frame, function, line, file, shares, values: Map(name -> {text, row, changed})}; `shares` are the names that are one object, group by group.
 */
export function fold(chunk, side, row) {
  const key = chunk[side];
  const state = new Map(Object.entries(key.state).map(([frame, names]) => [Number(frame), remembered(names)]));
  const frames = new Map(Object.entries(key.frames).map(([frame, facts]) => [Number(frame), { ...facts }]));
  const own = chunk.rows[row - chunk.first]?.[side] ?? null;
  let cell = key.at;
  let output = key.output;
  for (const entry of chunk.rows) {
    if (entry.row > row) break;
    const next = entry[side];
    if (!next) continue;
    cell = next;
    apply(state, next, entry.row, next === own);
    const frame = frames.get(next.frame);
    if (frame && next.line !== null) frame.line = next.line;
    if (frame && next.parent !== undefined) frame.parent = next.parent; // a generator resumes under another frame
    for (const [which, groups] of next.shares ?? []) if (frames.has(which)) frames.get(which).shares = groups;
    if (next.printed) output = (output + next.printed).slice(-MAX_OUTPUT_CHARS);
  }
  return { cell, own: own !== null, stack: stackOf(frames, cell?.frame, state), output };
}

function remembered(names) {
  return new Map(Object.entries(names).map(([name, [text, row]]) => [name, { text, row, changed: false }]));
}

// A change is [frame, name, text | null, row?, place?]: the row that made it if it is shown later, the place if that is another frame.
function apply(state, cell, row, changed) {
  for (const [frame, name, text, writer = row] of cell.changes) {
    if (!state.has(frame)) state.set(frame, new Map());
    if (text === null) state.get(frame).delete(name);
    else state.get(frame).set(name, { text, row: writer, changed });
  }
}

function stackOf(frames, top, state) {
  const stack = [];
  const seen = new Set();
  for (let frame = top; frames.has(frame) && !seen.has(frame); frame = frames.get(frame).parent) {
    seen.add(frame);
    const { function: name, file, line, shares = [] } = frames.get(frame);
    stack.push({ frame, function: name, file, line, shares, values: state.get(frame) ?? new Map() });
  }
  return stack.reverse();
}

/** The levels of two stacks beside each other, outermost first: [{left, right}], either may be null. */
export function levels(left, right) {
  const deep = Math.max(left.length, right.length);
  return Array.from({ length: deep }, (_, at) => ({ left: left[at] ?? null, right: right[at] ?? null }));
}

/** The names of a level in the order of the left, then those that only the right has: [{name, left, right, differs}]. */
export function names({ left, right }) {
  const all = new Set([...(left?.values.keys() ?? []), ...(right?.values.keys() ?? [])]);
  return [...all].map((name) => {
    const entry = left?.values.get(name) ?? null;
    const other = right?.values.get(name) ?? null;
    return { name, left: entry, right: other, differs: entry?.text !== other?.text };
  });
}
