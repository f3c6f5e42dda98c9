"""`python -m worldline.data.mine.stream`: documents of mined functions on standard output, while they are read.

One of several workers beside a trainer: it takes every n-th file of the places in an order of the seed's, finds calls
of each function as `mine` does, and writes their traces in modes of the recipe's mixture, a share of them in another
form too. Through with all files it begins again with other calls. Nothing is kept; every so
many functions it says on standard error how many there were, and calls.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random

from worldline.core.program import Program
from worldline.data.document import Document
from worldline.data.mine.calls import LIMITS, ROUND, is_worth, traced
from worldline.data.mine.extract import Found, functions
from worldline.data.mine.mined import versions
from worldline.data.mine.near import Benchmark
from worldline.data.mine.quarry import known_tests, locate, python_files
from worldline.data.mine.usage import Usages
from worldline.data.mixture import Mixture, written
from worldline.data.recipe import load_config
from worldline.data.stream import piped, send
from worldline.programs.split import SPLITS, key, split_of
from worldline.recording.recorder import BoxWorker, prepare
from worldline.recording.together import record_all, stretched

CALLS = 6  # of a function and turn: more functions teach more than more calls
TOLD = 250  # functions between two lines about how far it is


def mined(
    mixture: Mixture, places: Sequence[Path], *, seed: int, worker: int = 0, workers: int = 1, trust: bool = False,
    benchmark: Benchmark | None = None,
) -> Iterator[Document]:  # fmt: skip
    """Documents of functions of the mixture's split, without end; but for those that are like a benchmark's."""
    recorder = BoxWorker(prepare(limits=stretched(LIMITS, ROUND), python=None, core="auto", trust=trust))
    paths, usages = list(python_files(places)), Usages(known_tests(places))
    seen: set[str] = set()
    told = Counter[str]()
    try:
        for turn in count():
            rng = Random(f"mine/{mixture.seed}/{seed}/{turn}/{worker}/{workers}")
            order = sorted(paths)
            Random(f"mine/{mixture.seed}/{turn}").shuffle(order)  # the same for every worker
            for path in order[worker::workers]:
                for found in _found(path):
                    hashed, same = key(found.core), f"{turn}/{key(found.core + found.node.name)}"
                    if same in seen or split_of(hashed) != mixture.split:
                        continue
                    seen.add(same)
                    if benchmark is not None and benchmark.like(found.core):
                        told["like a benchmark's"] += 1
                        continue
                    if benchmark is not None and found.alone and benchmark.like(found.source):
                        found = found.without_neighbours()
                    shown = usages.calls(path, found)
                    yield from _documents(mixture, recorder, found, shown, hashed, rng, told)
                    if told["functions"] % TOLD == 1:
                        counts = ", ".join(f"{count:,} {what}" for what, count in told.items())
                        print(f"mining {worker} of {workers}, turn {turn}: {counts}", file=sys.stderr)
    finally:
        recorder.close()


def _found(path: Path) -> list[Found]:
    try:
        return list(functions(path))
    except Exception as error:
        warnings.warn(f"{path} could not be read: {error!r}", stacklevel=2)
        return []


def _documents(
    mixture: Mixture,
    recorder: BoxWorker,
    found: Found,
    shown: list[str],
    hashed: str,
    rng: Random,
    told: Counter[str],
) -> Iterator[Document]:
    """Each call plain, a share of them in a form as well."""
    try:
        traces = traced(recorder, found, rng, shown, most=CALLS)
        told.update({"functions": bool(traces), "calls": len(traces)})
        plain = [Program(source=found.source, call=call) for call in traces]
        formed = [made for each in plain for made in versions(each, rng, 1) if made is not each]
        again = [trace for trace in record_all(recorder, formed) if trace is not None and is_worth(trace)]
    except Exception as error:
        warnings.warn(f"{found.origin} failed: {error!r}", stacklevel=2)
        return
    for trace in (*traces.values(), *again):
        if made := written(mixture, rng, trace, kind="mine", hashed=hashed):
            yield made


def main(argv: Sequence[str] | None = None) -> int:
    """The command; its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m worldline.data.mine.stream",
        description="framed documents of mined functions on stdout",
    )
    parser.add_argument("places", nargs="+", help="packages, `stdlib`, folders or files")
    parser.add_argument("--recipe", required=True, help="a recipe's name or file")
    parser.add_argument("--function", default="data", help="the function in it that returns a Mixture")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--worker", type=int, default=0, help="which of the workers this is, from 0")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--split", choices=SPLITS, default="train")
    parser.add_argument("--count", type=int, default=0, help="stop after so many; 0: when the reader leaves")
    parser.add_argument(
        "--leave-out", type=Path, action="append", default=[], help="JSON lines of a benchmark's programs"
    )
    parser.add_argument("--trust", action="store_true", help="run programs without a box")
    asked = parser.parse_args(argv)
    warnings.simplefilter("ignore")

    def act() -> None:
        mixture = replace(load_config(asked.recipe, asked.function, Mixture), split=asked.split)
        made = mined(
            mixture, locate(asked.places), seed=asked.seed, worker=asked.worker, workers=asked.workers,
            trust=asked.trust, benchmark=Benchmark.read(asked.leave_out),
        )  # fmt: skip
        send(made, sys.stdout.buffer, asked.count)

    return piped(act)


if __name__ == "__main__":
    sys.exit(main())
