// A branch that is being written has rows that only the interpreter has had so far. They are not wrong, they are pending: here a
// timeline and chunks are told so before anybody shows them. Pure.

/** The newest bin in which the model has a step; -1 where it has none. */
function frontier({ bins }) {
  return bins.findLastIndex((bin) => bin[4]);
}

/** The newest row that the right side has, as near as the bins tell. */
export function newest(timeline) {
  const { rows, per } = timeline;
  return Math.max(0, Math.min(rows - 1, (frontier(timeline) + 1) * per - 1));
}

/** The timeline without a verdict (null) on what is not written yet. */
export function pendingLine(timeline) {
  const last = frontier(timeline);
  const bins = timeline.bins.map((bin, at) => (at <= last ? bin : [null, null, ...bin.slice(2)]));
  const first = timeline.first !== null && Math.floor(timeline.first / timeline.per) <= last ? timeline.first : null;
  return { ...timeline, bins, first };
}

/** A chunk whose rows beyond the newest one are pending. */
export function pendingRows(chunk, timeline) {
  const from = Math.max(0, frontier(timeline)) * timeline.per;
  const rows = chunk.rows.map((row) => (row.right || row.row < from ? row : { ...row, action: "pending", state: "pending", differs: [] }));
  return { ...chunk, rows };
}
