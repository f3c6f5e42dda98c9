"""How fast a model writes traces: a byte at a time, and reading ahead by guesses, alone and in batches.

The programs are drawn from the generator and, with `--humaneval FILE`, taken from HumanEval; `--model` is what
`worldline imagine --model` takes. Ways take turns, and the best of `--rounds` counts; texts, statuses and
log-probabilities of all ways are compared, and if any differs nothing is reported. A second table is of prompts: how
fast one is read, by its length.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from random import Random
from typing import Any

from worldline.core.program import Program
from worldline.evaluation.suites.humaneval import calls, problems
from worldline.predict.local import Local
from worldline.predict.models import load_model
from worldline.predict.prediction import PredictionRequest
from worldline.programs import generate, tasks

BATCHES = (1, 8, 32)
LIMIT = 2000  # bytes of a text


def programs(humaneval: Path | None, count: int) -> list[Program]:
    """Generated ones, and first calls of HumanEval's problems, evenly."""
    found = [generate.program(Random(f"rollouts/{n}")) for n in range(count // 2 if humaneval else count)]
    if humaneval:
        chosen = problems(humaneval)
        step = max(1, len(chosen) // (count - len(found)))
        found += [problem.program(texts[0]) for problem, texts in calls(chosen[::step]) if texts]
    return found[:count]


class Way:
    """One way to write the same texts: its best time, and what it wrote."""

    def __init__(self, engine: Any, guesses: bool, batch: int) -> None:
        self.guesses, self.batch, self.best, self.busy = guesses, batch, float("inf"), float("inf")
        self.found: list[Any] = []
        self._local = Local(engine, name="bench", guesses=guesses, batch=batch, logprobs=True)

    def run(self, asks: list[PredictionRequest]) -> None:
        """One round."""
        began, busy = time.perf_counter(), time.process_time()
        found = [
            (done.text, done.status, done.logprob, tuple(self._local.logprobs), tuple(self._local.entropies))
            for done in self._local.predict(asks)
        ]
        self.best = min(self.best, time.perf_counter() - began)
        self.busy = min(self.busy, time.process_time() - busy)
        if self.found and found != self.found:
            raise SystemExit("not reported: the same way wrote two texts")
        self.found = found


def prompts(engine: Any, sizes: list[int]) -> str:
    """How fast prompts of some lengths are read: swaps of five names, a line each."""
    lines = ["| prompt, KB | seconds | KB/s |", "|---|---|---|"]
    text = PredictionRequest(program=tasks.permutation(Random(0), length=40 * max(sizes), pair=True)).prompt
    for size in sizes:
        state, began = engine.start(), time.perf_counter()
        engine.feed(state, text[: size * 1000], pin=True)
        taken = time.perf_counter() - began
        lines.append(f"| {size} | {taken:.1f} | {size / taken:.1f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="default")
    parser.add_argument("--humaneval", type=Path)
    parser.add_argument("--programs", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--batches", type=int, nargs="+", default=list(BATCHES))
    parser.add_argument("--prompts", type=int, nargs="*", default=[8, 32], help="KB")
    options = parser.parse_args()
    local = load_model(options.model)
    assert isinstance(local, Local)
    asks = [
        PredictionRequest(program=program, limit=LIMIT) for program in programs(options.humaneval, options.programs)
    ]
    ways = [Way(local.engine, guesses, batch) for batch in options.batches for guesses in (False, True)]
    for _ in range(options.rounds):
        for way in ways:
            way.run(asks)
    if any(way.found != ways[0].found for way in ways):
        raise SystemExit("not reported: the ways wrote different texts")
    size = sum(len(text) for text, *_ in ways[0].found)
    print(f"{len(asks)} programs, {size:,} bytes written, prompts read included\n")
    print("| batch | a byte at a time, bytes/s | with guesses, bytes/s | ratio | ratio of CPU time |")
    print("|---|---|---|---|---|")
    for plain, guessing in zip(ways[::2], ways[1::2], strict=True):
        ratios = f"{plain.best / guessing.best:.2f} | {plain.busy / guessing.busy:.2f}"
        print(f"| {plain.batch} | {size / plain.best:,.0f} | {size / guessing.best:,.0f} | {ratios} |")
    if options.prompts:
        print("\n" + prompts(local.engine, options.prompts))


if __name__ == "__main__":
    main()
