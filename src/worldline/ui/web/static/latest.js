// Sends one request at a time; of those that wait, only the newest is sent. So a server that sorts 100,000 samples need not
// answer for every typed letter.

/** `ask(question, signal)` returns a promise; `tell(answer, question)` gets the newest answer, `fail(error)` its error. */
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
