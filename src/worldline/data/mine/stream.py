"""Write documents of mined functions to standard output: `python -m worldline.data.mine.stream`.

Each of several workers takes every n-th file in random order, finds calls as `mine` does, and writes
their traces in modes of the recipe's mixture, some in another form too. After the last file it starts
again with other calls. Progress goes to standard error.
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
from worldline.data.mine.calls import CALLS_PER_ROUND, MINING_LIMITS, is_worth_keeping, trace_calls
from worldline.data.mine.extract import ExtractedFunction, extract_functions
from worldline.data.mine.mined import draw_versions
from worldline.data.mine.near import Benchmark
from worldline.data.mine.recorded import OpenPlaces, open_places
from worldline.data.mixture import Mixture, write_document
from worldline.data.recipe import load_config
from worldline.data.stream import run_piped, send_documents
from worldline.programs.split import SPLITS, key, split_of
from worldline.recording.recorder import SandboxWorker, prepare
from worldline.recording.together import record_all, stretched

# Per function: more functions teach more than more calls.
MAX_CALLS_PER_TURN = 6
FUNCTIONS_PER_LOG_LINE = 250


def mine_documents(
    mixture: Mixture,
    places: Sequence[Path] | OpenPlaces,
    *,
    seed: int,
    worker: int = 0,
    workers: int = 1,
    trust: bool = False,
    benchmark: Benchmark | None = None,
) -> Iterator[Document]:
    """Mine documents of the mixture's split without end.

    Args:
        mixture: Modes and split.
        places: Folders and files to mine, or what `open_places` yields.
        seed: Seed of the stream.
        worker: Number of this worker.
        workers: Number of workers.
        trust: Whether to run without a sandbox.
        benchmark: Functions to exclude similar ones of.

    Yields:
        Documents.
    """
    recorder = SandboxWorker(
        prepare(limits=stretched(MINING_LIMITS, CALLS_PER_ROUND), python=None, core="auto", trust=trust)
    )
    opened = places if isinstance(places, OpenPlaces) else OpenPlaces(tuple(places))
    paths, usages = opened.files(), opened.usages()
    seen: set[str] = set()
    counts_so_far = Counter[str]()
    try:
        for turn in count():
            rng = Random(f"mine/{mixture.seed}/{seed}/{turn}/{worker}/{workers}")
            order = list(paths)
            # The same order for every worker.
            Random(f"mine/{mixture.seed}/{turn}").shuffle(order)
            for path in order[worker::workers]:
                for function in _extract(path):
                    hashed, same = key(function.core), f"{turn}/{key(function.core + function.node.name)}"
                    if same in seen or split_of(hashed) != mixture.split:
                        continue
                    seen.add(same)
                    if (trained := opened.without_held_out(path, function)) is None:
                        continue
                    function = trained
                    if benchmark is not None and benchmark.like(function.core):
                        counts_so_far["like a benchmark's"] += 1
                        continue
                    if benchmark is not None and function.alone and benchmark.like(function.source):
                        function = function.without_neighbours()
                    shown = usages.calls(path, function)
                    yield from _write_documents(mixture, recorder, function, shown, hashed, rng, counts_so_far)
                    if counts_so_far["functions"] % FUNCTIONS_PER_LOG_LINE == 1:
                        counts = ", ".join(f"{count:,} {name}" for name, count in counts_so_far.items())
                        print(f"mining {worker} of {workers}, turn {turn}: {counts}", file=sys.stderr)
    finally:
        recorder.close()


def _extract(path: Path) -> list[ExtractedFunction]:
    try:
        return list(extract_functions(path))
    except Exception as error:
        warnings.warn(f"{path} could not be read: {error!r}", stacklevel=2)
        return []


def _write_documents(
    mixture: Mixture,
    recorder: SandboxWorker,
    function: ExtractedFunction,
    shown: list[str],
    hashed: str,
    rng: Random,
    counts: Counter[str],
) -> Iterator[Document]:
    """Each call plain, and some in a form as well."""
    try:
        traces = trace_calls(recorder, function, rng, shown, most=MAX_CALLS_PER_TURN)
        counts.update({"functions": bool(traces), "calls": len(traces)})
        plain = [Program(source=function.source, call=call) for call in traces]
        formed = [version for program in plain for version in draw_versions(program, rng, 1) if version is not program]
        again = [trace for trace in record_all(recorder, formed) if trace is not None and is_worth_keeping(trace)]
    except Exception as error:
        warnings.warn(f"{function.origin} failed: {error!r}", stacklevel=2)
        return
    for trace in (*traces.values(), *again):
        if version := write_document(mixture, rng, trace, kind="mine", hashed=hashed):
            yield version


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m worldline.data.mine.stream", description="Write framed documents of mined functions to stdout."
    )
    parser.add_argument("places", nargs="+", help="packages, `stdlib`, folders, files or datasets of recorded calls")
    parser.add_argument("--recipe", required=True, help="recipe name or file")
    parser.add_argument("--function", default="data", help="function of the recipe that returns a Mixture")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--worker", type=int, default=0, help="number of this worker, from 0")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--split", choices=SPLITS, default="train")
    parser.add_argument("--count", type=int, default=0, help="documents to write; 0: until the reader closes")
    parser.add_argument(
        "--leave-out", type=Path, action="append", default=[], help="benchmark file; similar functions are excluded"
    )
    parser.add_argument("--trust", action="store_true", help="run programs without a sandbox")
    options = parser.parse_args(argv)
    warnings.simplefilter("ignore")

    def act() -> None:
        mixture = replace(load_config(options.recipe, options.function, Mixture), split=options.split)
        with open_places(options.places) as places:
            documents = mine_documents(
                mixture,
                places,
                seed=options.seed,
                worker=options.worker,
                workers=options.workers,
                trust=options.trust,
                benchmark=Benchmark.read(options.leave_out),
            )
            send_documents(documents, sys.stdout.buffer, options.count)

    return run_piped(act)


if __name__ == "__main__":
    sys.exit(main())
