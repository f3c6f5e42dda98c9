// Branches that are being written: one stream of events for each, told to the view as they come, at most a few times a second.

const PAUSE = 250; // ms between two refreshes of what is shown

/** Follows branches; `grown(id, progress)` while one is written, `done(id, branch)` at its end, `failed(id, error)` if the stream breaks. */
export class Growth {
  constructor({ api, run, at, grown, done, failed }) {
    Object.assign(this, { api, run, at, grown, done, failed });
    this.streams = new Map();
  }

  /** Begins to follow a branch; once. */
  async follow(id) {
    if (this.streams.has(id)) return;
    const control = new AbortController();
    this.streams.set(id, control);
    const pace = paced(PAUSE, (told) => control.signal.aborted || this.grown(id, told));
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

  /** Stops listening; the branches go on. */
  dispose() {
    for (const control of this.streams.values()) control.abort();
  }
}

// The newest of many, now and then: one at a time, each done before the next, however long it takes.
function paced(pause, act) {
  let waiting = null;
  let busy = false;
  async function work() {
    busy = true;
    while (waiting !== null) {
      const now = waiting;
      waiting = null;
      const begun = performance.now();
      await act(now);
      const rest = Math.max(pause, 2 * (performance.now() - begun)); // looking must not slow down the writing
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
