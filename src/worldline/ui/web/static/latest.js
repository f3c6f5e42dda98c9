// One question at a time, and only the newest answer: what was asked before and is not yet asked is forgotten.
//
// A server that sorts 100,000 samples for each typed letter would answer the last letter last; so while a question
// is under way the next one waits, and only the newest of those that wait is asked.

/** `ask(question, signal)` gives a promise, `tell(answer, question)` is called for answers still wanted, `fail(error)` for the rest. */
export function latest(ask, tell, fail) {
  let waiting = null;
  let control = null;
  let stopped = false;

  async function work() {
    while (waiting && !stopped) {
      const question = waiting.value;
      waiting = null;
      control = new AbortController();
      try {
        const answer = await ask(question, control.signal);
        if (!waiting && !stopped) tell(answer, question);
      } catch (error) {
        if (!stopped && !waiting && error.name !== "AbortError") fail(error);
      }
      control = null;
    }
  }

  return {
    ask(question) {
      waiting = { value: question };
      if (!control) work();
    },
    stop() {
      stopped = true;
      control?.abort();
    },
  };
}
