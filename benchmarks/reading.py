"""How many bytes of a prompt the shipped model reads, and how many it decodes, in a CPU second on one thread.

CPU seconds change little with the load of the machine; the best of three counts. To measure another revision, build it
in its own folder and set PYTHONPATH to its `src`.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from worldline.predict.models import load_local

PROMPTS, PIECE = (1024, 4096), 64
TRACE, DECODED, BATCHES = 1024, 100, (1, 8)
ROUNDS = 3
TEXT = "".join(f"def f{n}(x):\n    return x * {n} + {n % 7}\n" for n in range(300)).encode()


def best_seconds(work: Callable[[], None]) -> float:
    """The fewest CPU seconds of some rounds."""

    def measure() -> float:
        began = time.process_time()
        work()
        return time.process_time() - began

    return min(measure() for _ in range(ROUNDS))


def main() -> None:
    """Prints a line for each size."""
    engine = load_local(extras={"threads": "1"}).engine
    for size in PROMPTS:

        def read(size: int = size) -> None:
            state = engine.start()
            for first in range(0, size, PIECE):
                engine.feed(state, TEXT[first : first + PIECE], pin=True)

        print(f"a prompt of {size:,} bytes: {size / best_seconds(read):,.0f} bytes per CPU second")
    start = engine.start()
    engine.feed(start, TEXT[:512], pin=True)
    engine.feed(start, TEXT[512 : 512 + TRACE], pin=False)
    for batch in BATCHES:
        states = [start.fork() for _ in range(batch)]

        def decode(batch: int = batch, states: list[object] = states) -> None:
            for at in range(DECODED):
                engine.step(states, TEXT[at : at + batch])

        print(f"decoding, {batch} at once: {batch * DECODED / best_seconds(decode):,.0f} bytes per CPU second")


if __name__ == "__main__":
    main()
