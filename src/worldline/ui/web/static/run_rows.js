// The rows of one run, loaded in chunks. A chunk writes frames and boxes that several rows share once; here they are put back.

const MAX_CHUNKS = 128; // that stay loaded

/** Rows of a run; `ask(k)` gives chunk k, `size` is the number of rows in one. */
export class RunRows {
  constructor(ask, size) {
    this.ask = ask;
    this.size = size;
    this.chunks = new Map();
  }

  /** What a row shows: {row, event, line, ..., frames, boxes}. Concurrent calls share one request. */
  async at(row) {
    const k = Math.floor(row / this.size);
    if (!this.chunks.has(k)) {
      this.chunks.set(k, this.ask(k));
      this.chunks.get(k).catch(() => this.chunks.delete(k));
      if (this.chunks.size > MAX_CHUNKS) this.chunks.delete(this.chunks.keys().next().value);
    }
    const chunk = await this.chunks.get(k);
    const entry = chunk.rows[row - chunk.first];
    return { ...entry, frames: entry.frames.map((at) => chunk.frames[at]), boxes: entry.boxes.map((at) => chunk.boxes[at]) };
  }
}
