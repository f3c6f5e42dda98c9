// The rows of one pair of sides, in chunks as they are asked for; the newest few are kept. Knows the address of a chunk and
// nothing of what is in it.

export const CHUNK = 256; // explore/chunk.py's
const KEPT = 48;

/** What stands for a row while there is none: a run that nobody has begun to write. */
export const NO_ROW = { row: 0, action: "open", state: "open", left: null, right: null, differs: [], depth: 0, over: null, out: null, back_over: null, back_out: null };

/**
 * The timeline and the rows of a place, under way: {place, line (a promise), rows}. The chunk that is likely seen first is asked for
 * at once.
 */
export function rowsOf(api, place) {
  const { run, at, branch, left, right, other } = place;
  const params = { branch, left, right, other };
  const line = api.timeline(run, at, { ...params, bins: 1000 });
  const rows = new Rows((k) => api.chunk(run, at, k, params));
  const likely = (place.row ?? 0) < CHUNK ? rows.at(0) : line; // the first chunk is always there
  for (const asked of [line, likely]) asked.catch(() => {}); // who waits for it is told; perhaps nobody does
  return { place, line, rows };
}

/** The newest row that the right side has, as near as the bins tell. */
export function newest({ rows, per, bins }) {
  return Math.max(0, Math.min(rows - 1, (bins.findLastIndex((bin) => bin[4]) + 1) * per - 1));
}

/** Rows of a pair as they are now (one that has grown is another): `ask(k)` gives a chunk. */
class Rows {
  constructor(ask) {
    this.ask = ask;
    this.kept = new Map();
    this.waiting = new Map();
  }

  /** The chunk that holds a row, if it is here. */
  known(row) {
    return this.kept.get(Math.floor(row / CHUNK)) ?? null;
  }

  /** The chunk that holds a row. */
  async at(row) {
    return this.chunk(Math.floor(row / CHUNK));
  }

  /** Chunk k; two who ask at once are answered by one request. */
  async chunk(k) {
    const known = this.kept.get(k);
    if (known) return known;
    if (!this.waiting.has(k)) this.waiting.set(k, this.fetch(k));
    return this.waiting.get(k);
  }

  async fetch(k) {
    try {
      const chunk = await this.ask(k);
      this.kept.set(k, chunk);
      while (this.kept.size > KEPT) this.kept.delete(this.kept.keys().next().value);
      return chunk;
    } finally {
      this.waiting.delete(k);
    }
  }
}
