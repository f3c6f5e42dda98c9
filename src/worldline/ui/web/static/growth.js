// Follows branches that are being predicted: one stream of events each, reported at most a few times per second.

const REFRESH_MS = 250; // ms between two refreshes

/** Calls `grown(id, progress)` while a branch is written, `done(id, branch)` at its end, `failed(id, error)` if the stream breaks. */
export class Growth {
  constructor({ api, run, at, grown, done, failed }) {
    Object.assign(this, { api, run, at, grown, done, failed });
    this.streams = new Map();
  }

  /** Follows a branch; once. */
  async follow(id) {
    if (this.streams.has(id)) return;
    const control = new AbortController();
    this.streams.set(id, control);
    const pace = paced(REFRESH_MS, (report) => control.signal.aborted || this.grown(id, report));
    let last = null;
    try {
      await this.api.events(this.run, this.at, id, (name, data) => {
        if (name === "progress") pace.take(data);
        else if (name === "done") last = data;
      }, control.signal);
      pace.drop();
      if (!control.signal.aborted) this.done(id, last);
    } catch (error) {
      pace.drop();
      if (!control.signal.aborted) this.failed(id, error);
    } finally {
      this.streams.delete(id);
    }
  }

  /** Stops listening; the branches continue. */
  dispose() {
    for (const control of this.streams.values()) control.abort();
  }
}

// Calls `act` with the newest value only, one call at a time.
function paced(pause, act) {
  let waiting = null;
  let busy = false;
  async function work() {
    busy = true;
    while (waiting !== null) {
      const now = waiting;
      waiting = null;
      const started = performance.now();
      await act(now);
      const rest = Math.max(pause, 2 * (performance.now() - started)); // drawing must not slow down the model
      await new Promise((done) => setTimeout(done, rest));
    }
    busy = false;
  }
  return {
    take(value) {
      waiting = value;
      if (!busy) work();
    },
    drop: () => (waiting = null),
  };
}
