// The rows of two sides, loaded in chunks; the newest few are cached.

export const CHUNK = 256; // as in ui/session/chunk.py
const MAX_CHUNKS = 48;

/** Stands for a row while there is none. */
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
  for (const request of [line, likely]) request.catch(() => {}); // whoever awaits it gets the error
  return { place, line, rows };
}

/** The newest row of the right side, to the precision of the bins. */
export function newest({ rows, per, bins }) {
  return Math.max(0, Math.min(rows - 1, (bins.findLastIndex((bin) => bin[4]) + 1) * per - 1));
}

/** Rows of a pair as they are now (one that has grown is another): `ask(k)` gives a chunk. */
class Rows {
  constructor(ask) {
    this.ask = ask;
    this.chunks = new Map();
    this.waiting = new Map();
  }

  /** The chunk that holds a row, if it is here. */
  known(row) {
    return this.chunks.get(Math.floor(row / CHUNK)) ?? null;
  }

  /** The chunk that holds a row. */
  async at(row) {
    return this.chunk(Math.floor(row / CHUNK));
  }

  /** Chunk k; concurrent calls share one request. */
  async chunk(k) {
    const known = this.chunks.get(k);
    if (known) return known;
    if (!this.waiting.has(k)) this.waiting.set(k, this.fetch(k));
    return this.waiting.get(k);
  }

  async fetch(k) {
    try {
      const chunk = await this.ask(k);
      this.chunks.set(k, chunk);
      while (this.chunks.size > MAX_CHUNKS) this.chunks.delete(this.chunks.keys().next().value);
      return chunk;
    } finally {
      this.waiting.delete(k);
    }
  }
}
