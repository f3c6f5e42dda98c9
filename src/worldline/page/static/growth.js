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

// The newest of many, now and then: the first at once, the last never lost unless dropped.
function paced(pause, act) {
  let waiting = null;
  let timer = 0;
  const fire = () => {
    timer = 0;
    if (waiting === null) return;
    const now = waiting;
    waiting = null;
    timer = setTimeout(fire, pause);
    act(now);
  };
  return {
    take(value) {
      waiting = value;
      if (!timer) fire();
    },
    drop() {
      clearTimeout(timer);
      timer = 0;
      waiting = null;
    },
  };
}
