"""Tutor of a training: set drills, receive scores, and update the curriculum that the streams follow.

    python -m worldline.learning.tutor --recipe FILE --out RUN/curriculum.json

Sets go to standard output, scores come on standard input (data/exchange.py). One set is always ahead, so
the trainer never waits. Results are logged next to the curriculum (`.log.jsonl`). Needs neither torch nor
NumPy.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import IO

from worldline.core.errors import UsageError
from worldline.data.exchange import Score, receive_scores, send_set
from worldline.data.mixture import Mixture
from worldline.data.recipe import load_config
from worldline.data.stream import run_piped
from worldline.learning.curriculum import Curriculum, from_json, initial_curriculum, update_curriculum
from worldline.learning.drills import Drill, DrillBook
from worldline.programs.split import SPLITS
from worldline.storage import files, listing

MAX_CURRICULUM_BYTES = 1 << 26
# About a batch.
SET_BYTES = 120_000
# Size of the first set, in sets: the curriculum can then move at once.
FIRST_SET_FACTOR = 6
# Exams of the largest open spacing in each set.
EXAMS_PER_SET = 8
DRILLS_PER_DRAW = 16


class Tutor:
    """A curriculum, and the drills that update it."""

    def __init__(self, book: DrillBook, out: Path, *, size: int = SET_BYTES, start: Path | None = None) -> None:
        self._book, self._out, self._size = book, out, size
        stored = next((path for path in (out, start) if path is not None and path.exists()), None)
        self.curriculum = read_curriculum(stored) if stored is not None else initial_curriculum(book.spacings)
        self._log = listing.read_lines(self._log_path, limit=MAX_CURRICULUM_BYTES) if self._log_path.exists() else []
        self._started = monotonic()
        self.write()

    @property
    def _log_path(self) -> Path:
        return self._out.with_suffix(".log.jsonl")

    def set(self, times: int = 1) -> list[Drill]:
        """Return the drills of the next set."""
        drills = self._book.exams(self.curriculum.opened, EXAMS_PER_SET * times) if self._book.spacings else []
        size = sum(len(drill.document) for drill in drills)
        while size < self._size * times:
            drawn = self._book.drills(DRILLS_PER_DRAW)
            drills += drawn
            size += sum(len(drill.document) for drill in drawn)
        return drills

    def learn(self, drills: Sequence[Drill], scores: Sequence[Score]) -> None:
        """Update the curriculum from the scores of a set, and write it."""
        results = [result for drill, score in zip(drills, scores, strict=True) for result in drill.results(score)]
        self.curriculum = update_curriculum(self.curriculum, results, self._book.spacings)
        self._log.append({"seconds": round(monotonic() - self._started, 1), **self.curriculum.to_json()})
        self.write()

    def write(self) -> None:
        """Write the curriculum and the log of all sets."""
        write_curriculum(self._out, self.curriculum)
        text = "".join(json.dumps(line) + "\n" for line in self._log)
        files.write(self._log_path, text.encode(), fsync=False)


def read_curriculum(path: Path) -> Curriculum:
    """Read a curriculum file."""
    if not path.is_file():
        raise UsageError(f"curriculum {path} does not exist")
    return from_json(listing.read_object(path, limit=MAX_CURRICULUM_BYTES))


def write_curriculum(path: Path, curriculum: Curriculum) -> None:
    """Write a curriculum file atomically."""
    files.write(path, json.dumps(curriculum.to_json(), indent=1).encode(), fsync=False)


def teach(tutor: Tutor, sets: IO[bytes], scores: IO[bytes]) -> None:
    """Set drills and learn from their scores until the trainer closes."""
    waiting: list[list[Drill]] = []
    with contextlib.suppress(BrokenPipeError):
        while True:
            while len(waiting) < 2:
                waiting.append(tutor.set(1 if waiting or tutor.curriculum.sets else FIRST_SET_FACTOR))
                send_set(sets, [(drill.document.prompt, drill.document.steps) for drill in waiting[-1]])
            drills = waiting.pop(0)
            received = receive_scores(scores, len(drills))
            if received is None:
                return
            tutor.learn(drills, received)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m worldline.learning.tutor", description="Set drills for a trainer.")
    parser.add_argument("--recipe", required=True, help="recipe name or file")
    parser.add_argument("--function", default="data", help="function of the recipe that returns a Mixture")
    parser.add_argument("--out", required=True, type=Path, help="curriculum file")
    parser.add_argument("--start", type=Path, help="curriculum to start from if --out does not exist")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--size", type=int, default=SET_BYTES, help="bytes of a set")
    parser.add_argument("--split", choices=SPLITS, default="train", help="split of the programs")
    parser.add_argument("--trust", action="store_true", help="run programs without a sandbox")
    options = parser.parse_args(argv)

    def act() -> None:
        mixture = load_config(options.recipe, options.function, Mixture)
        book = DrillBook(mixture, seed=options.seed, split=options.split, trust=options.trust)
        with contextlib.closing(book):
            tutor = Tutor(book, options.out, size=options.size, start=options.start)
            teach(tutor, sys.stdout.buffer, sys.stdin.buffer)

    return run_piped(act)


if __name__ == "__main__":
    sys.exit(main())
