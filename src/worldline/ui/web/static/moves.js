// The ways to move through rows, as data: each has a key, a button and a target. What is done with a target is the view's.

/**
 * Moves: {name, sign, label, key, also?, to(place)}; `to` gives a row, null where there is none, or a promise of one.
 * A place has row, rows, first, told (its ROW), next(row, step): the nearest row with a new difference, and stop(row, step): the
 * nearest at which somebody who runs on stops: {row, why, open}.
 */
export const MOVES = [
  { name: "start", sign: "⇤", label: "first step", key: "Home", to: ({ row }) => (row > 0 ? 0 : null) },
  { name: "back-out", sign: "⤒", label: "back out of the frame", key: "U", to: ({ told }) => told.back_out },
  { name: "back-over", sign: "↶", label: "back over a call", key: "O", to: ({ told }) => told.back_over },
  { name: "back", sign: "←", label: "step back", key: "ArrowLeft", also: "p", to: ({ row }) => (row > 0 ? row - 1 : null) },
  { name: "forward", sign: "→", label: "step forward, into calls", key: "ArrowRight", also: "n F11", to: ({ row, rows }) => (row + 1 < rows ? row + 1 : null) },
  { name: "over", sign: "↷", label: "step over a call", key: "o", also: "F10", to: ({ told }) => told.over },
  { name: "out", sign: "⤓", label: "step out of the frame", key: "u", also: "Shift+F11", to: ({ told }) => told.out },
  { name: "end", sign: "⇥", label: "last step", key: "End", to: ({ row, rows }) => (row + 1 < rows ? rows - 1 : null) },
];

/** The ways to move by differences. */
export const HOPS = [
  { name: "first", text: "First divergence", label: "first divergence", key: "f", to: ({ first }) => first },
  { name: "previous", text: "◂ Previous", label: "previous new difference", key: "D", to: ({ row, next }) => next(row, -1) },
  { name: "next", text: "Next ▸", label: "next new difference", key: "d", to: ({ row, next }) => next(row, 1) },
];

/** Running on and back: to a breakpoint, or to the first wrong action or value; past them all, to the end. */
export const RUNS = [
  { name: "run-back", sign: "◀", label: "run back to a breakpoint or the first error", key: "C", to: ({ row, stop }) => (row > 0 ? stop(row, -1) : null) },
  { name: "run", sign: "▶", label: "run on to a breakpoint or the first error", key: " ", also: "c", to: ({ row, rows, stop }) => (row + 1 < rows ? stop(row, 1) : null) },
];

/** Whether a row begins a difference: its action or its state is wrong, not a consequence. */
export function begins(told) {
  return told.action === "wrong" || told.state === "wrong";
}

/**
 * The nearest row after (step 1) or before (-1) `row` that begins a difference, or null. Bins of the timeline that have none are
 * leapt over, so that a run of 100,000 rows costs the chunks that matter and no others.
 */
export async function nearest({ timeline, rows }, row, step) {
  const { per, bins, rows: count } = timeline;
  for (let at = row + step; at >= 0 && at < count; ) {
    const bin = Math.floor(at / per);
    const [action, state] = bins[bin] ?? [0, 0];
    if (action !== 1 && state !== 1) {
      at = step > 0 ? (bin + 1) * per : bin * per - 1;
      continue;
    }
    const chunk = await rows.at(at);
    const told = chunk.rows[at - chunk.first];
    if (!told || begins(told)) return told ? at : null;
    at += step;
  }
  return null;
}

/**
 * The nearest row after (step 1) or before (-1) `row` that stops: {row, why}; where none does, the last or the first, and `open`.
 * Which rows stop is the server's word (explore/stops.py): the timeline names the special ones and the lines of each bin, a row its
 * own. Bins without a line in `lines` are leapt over.
 */
export async function nearestStop({ timeline, rows }, lines, row, step) {
  const { per, rows: count } = timeline;
  const ahead = timeline.stops.filter(([at]) => (at - row) * step > 0);
  const [special, why] = ahead.at(step > 0 ? 0 : -1) ?? [null, ""];
  const end = special ?? (step > 0 ? count - 1 : 0);
  for (let at = row + step; lines.size && (end - at) * step >= 0; ) {
    const bin = Math.floor(at / per);
    if (!timeline.lines[bin]?.some((line) => lines.has(line))) {
      at = step > 0 ? (bin + 1) * per : bin * per - 1;
      continue;
    }
    const chunk = await rows.at(at);
    const hit = chunk.rows[at - chunk.first]?.lines.find((line) => lines.has(line));
    if (hit !== undefined && at !== special) return { row: at, why: `the breakpoint at line ${hit}` };
    at += step;
  }
  return { row: end, open: special === null, why: why || `nothing stops before the ${step > 0 ? "end" : "beginning"}` };
}
