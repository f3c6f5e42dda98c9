// The ways to move through rows: each has a key, a button and a target.

/**
 * Moves: {name, icon, label, key, also?, to(place)}; `to` returns a row, null, or a promise of one.
 * A place has row, rows, first, told (its ROW), next(row, step): the nearest row with a new difference, and stop(row, step): the
 * nearest that stops: {row, why, open}.
 */
export const MOVES = [
  { name: "start", icon: "start", label: "first step", key: "Home", to: ({ row }) => (row > 0 ? 0 : null) },
  { name: "back-out", icon: "back-out", label: "back out of the frame", key: "U", to: ({ current }) => current.back_out },
  { name: "back-over", icon: "back-over", label: "back over a call", key: "O", to: ({ current }) => current.back_over },
  { name: "back", icon: "back", label: "step back", key: "ArrowLeft", also: "p", to: ({ row }) => (row > 0 ? row - 1 : null) },
  { name: "forward", icon: "forward", label: "step forward, into calls", key: "ArrowRight", also: "n F11", to: ({ row, rows }) => (row + 1 < rows ? row + 1 : null) },
  { name: "over", icon: "over", label: "step over a call", key: "o", also: "F10", to: ({ current }) => current.over },
  { name: "out", icon: "out", label: "step out of the frame", key: "u", also: "Shift+F11", to: ({ current }) => current.out },
  { name: "end", icon: "end", label: "last step", key: "End", to: ({ row, rows }) => (row + 1 < rows ? rows - 1 : null) },
];

/** The ways to move by differences. */
export const HOPS = [
  { name: "first", text: "First divergence", label: "first divergence", key: "f", to: ({ first }) => first },
  { name: "previous", text: "Previous", label: "previous new difference", key: "D", to: ({ row, next }) => next(row, -1) },
  { name: "next", text: "Next", label: "next new difference", key: "d", to: ({ row, next }) => next(row, 1) },
];

/** Continue forward and back: to a breakpoint, to the first wrong action or value, or to the end. */
export const RUNS = [
  { name: "run-back", icon: "run-back", label: "continue back to a breakpoint or the first error", key: "C", to: ({ row, stop }) => (row > 0 ? stop(row, -1) : null) },
  { name: "run", icon: "run", label: "continue to a breakpoint or the first error", key: " ", also: "c", to: ({ row, rows, stop }) => (row + 1 < rows ? stop(row, 1) : null) },
];

/** Whether a row starts a difference: its action or state is wrong, not a consequence. */
export function begins(current) {
  return current.action === "wrong" || current.state === "wrong";
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
    const current = chunk.rows[at - chunk.first];
    if (!current || begins(current)) return current ? at : null;
    at += step;
  }
  return null;
}

/**
 * The nearest row after (step 1) or before (-1) `row` that stops: {row, why}; where none does, the last or the first, and `open`.
 * The server decides which rows stop (ui/session/stops.py): the timeline names the special ones and the lines of each bin, a row its
 * own. Bins without a line in `lines` are leapt over.
 */
export async function nearestStop({ timeline, rows }, lines, row, step) {
  const { per, rows: count } = timeline;
  const ahead = timeline.stops.filter(([at]) => (at - row) * step > 0);
  const [special, why] = ahead.at(step > 0 ? 0 : -1) ?? [null, ""];
  const end = special ?? (step > 0 ? count - 1 : 0);
  for (let at = row + step; lines.size && (end - at) * step >= 0; ) {
    const bin = Math.floor(at / per);
    if (![...(timeline.lines[bin] ?? []), ...(timeline.elsewhere?.[bin] ?? [])].some((line) => lines.has(line))) {
      at = step > 0 ? (bin + 1) * per : bin * per - 1;
      continue;
    }
    const chunk = await rows.at(at);
    const current = chunk.rows[at - chunk.first];
    const hit = [...(current?.lines ?? []), ...(current?.elsewhere ?? [])].find((line) => lines.has(line));
    if (hit !== undefined && at !== special) return { row: at, why: typeof hit === "number" ? `the breakpoint at line ${hit}` : `the breakpoint at ${hit}` };
    at += step;
  }
  return { row: end, open: special === null, why: why || `no stop before the ${step > 0 ? "end" : "beginning"}` };
}
