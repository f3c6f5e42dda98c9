"""The tutor beside a training: sets drills, is told how they went, and moves the curriculum that the streams follow.

    python -m worldline.learning.tutor --recipe FILE --out RUN/curriculum.json

Sets go to standard output, scores come on standard input (data/exchange.py); one set is always made ahead, so that the
trainer never waits. What was measured, set by set, is written beside the curriculum (`.log.jsonl`). Needs neither
torch nor NumPy: it runs where streams do.
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
from worldline.learning.curriculum import Curriculum, beginning, from_json, moved
from worldline.learning.drills import Drill, DrillBook
from worldline.programs.split import SPLITS
from worldline.storage import files, listing

LIMIT = 1 << 26
SIZE = 120_000  # bytes of a set: about a batch
AT_FIRST = 6  # the first set is so many times as large: what is known at once moves at once
EXAMS = 8  # of the largest open spacing in each set
SOME = 16  # drills drawn at a time


class Tutor:
    """A curriculum that moves, and the drills that move it."""

    def __init__(self, book: DrillBook, out: Path, *, size: int = SIZE, start: Path | None = None) -> None:
        self._book, self._out, self._size = book, out, size
        begun = next((path for path in (out, start) if path is not None and path.exists()), None)
        self.curriculum = read_curriculum(begun) if begun is not None else beginning(book.spacings)
        self._log = listing.read_lines(self._log_path, limit=LIMIT) if self._log_path.exists() else []
        self._begun = monotonic()
        self.write()

    @property
    def _log_path(self) -> Path:
        return self._out.with_suffix(".log.jsonl")

    def set(self, times: int = 1) -> list[Drill]:
        """The drills of the next set."""
        found = self._book.exams(self.curriculum.opened, EXAMS * times) if self._book.spacings else []
        size = sum(len(drill.document) for drill in found)
        while size < self._size * times:
            some = self._book.drills(SOME)
            found += some
            size += sum(len(drill.document) for drill in some)
        return found

    def learn(self, drills: Sequence[Drill], scores: Sequence[Score]) -> None:
        """Take the scores of a set in, and write the curriculum that follows."""
        results = [
            result for drill, score in zip(drills, scores, strict=True) for result in drill.results(score)
        ]
        self.curriculum = moved(self.curriculum, results, self._book.spacings)
        self._log.append({"seconds": round(monotonic() - self._begun, 1), **self.curriculum.to_json()})
        self.write()

    def write(self) -> None:
        """The curriculum's file, and the log of all sets."""
        write_curriculum(self._out, self.curriculum)
        text = "".join(json.dumps(line) + "\n" for line in self._log)
        files.write(self._log_path, text.encode(), fsync=False)


def read_curriculum(path: Path) -> Curriculum:
    """A curriculum's file."""
    if not path.is_file():
        raise UsageError(f"curriculum {path} does not exist")
    return from_json(listing.read_object(path, limit=LIMIT))


def write_curriculum(path: Path, curriculum: Curriculum) -> None:
    """A curriculum into its file, whole."""
    files.write(path, json.dumps(curriculum.to_json(), indent=1).encode(), fsync=False)


def teach(tutor: Tutor, sets: IO[bytes], scores: IO[bytes]) -> None:
    """Set drills and learn from their scores until the trainer leaves."""
    waiting: list[list[Drill]] = []
    with contextlib.suppress(BrokenPipeError):
        while True:
            while len(waiting) < 2:
                waiting.append(tutor.set(1 if waiting or tutor.curriculum.sets else AT_FIRST))
                send_set(sets, [(drill.document.prompt, drill.document.steps) for drill in waiting[-1]])
            drills = waiting.pop(0)
            found = receive_scores(scores, len(drills))
            if found is None:
                return
            tutor.learn(drills, found)


def main(argv: Sequence[str] | None = None) -> int:
    """The command; its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m worldline.learning.tutor", description="drills for a trainer"
    )
    parser.add_argument("--recipe", required=True, help="a recipe's name or file")
    parser.add_argument("--function", default="data", help="the function in it that returns a Mixture")
    parser.add_argument("--out", required=True, type=Path, help="the curriculum's file")
    parser.add_argument("--start", type=Path, help="a curriculum to begin with where --out is not there yet")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--size", type=int, default=SIZE, help="bytes of a set")
    parser.add_argument("--split", choices=SPLITS, default="train", help="of the programs that are drilled")
    parser.add_argument("--trust", action="store_true", help="run programs without a box")
    asked = parser.parse_args(argv)

    def act() -> None:
        mixture = load_config(asked.recipe, asked.function, Mixture)
        book = DrillBook(mixture, seed=asked.seed, split=asked.split, trust=asked.trust)
        with contextlib.closing(book):
            tutor = Tutor(book, asked.out, size=asked.size, start=asked.start)
            teach(tutor, sys.stdout.buffer, sys.stdin.buffer)

    return run_piped(act)


if __name__ == "__main__":
    sys.exit(main())
