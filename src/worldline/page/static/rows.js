// The rows of one pair of sides, in chunks as they are asked for; the newest few are kept. Knows the address of a chunk and
// nothing of what is in it.

export const CHUNK = 256; // explore/chunk.py's
const KEPT = 48;

/** What stands for a row while there is none: a run that nobody has begun to write. */
export const NO_ROW = { row: 0, action: "right", state: "right", left: null, right: null, differs: [], depth: 0, over: null, out: null, back_over: null, back_out: null };

/** Rows of a pair as they are now (one that has grown is another): `ask(k)` gives a chunk. */
export class Rows {
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
