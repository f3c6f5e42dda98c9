"""`python -m worldline.data.stream`: a recipe's documents on standard output, framed, until the reader leaves.

For a trainer beside it, perhaps under another interpreter: needs the standard library, worldline and msgspec alone.
The frames are `document.write`'s. One process is one worker; the trainer starts as many as there are cores.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import IO

from worldline.core.errors import WorldlineError
from worldline.data.document import Document, frame
from worldline.data.lessons import Factors
from worldline.data.mixture import Mixture, documents
from worldline.data.recipe import load_config
from worldline.programs.split import SPLITS

CHUNK = 1 << 16  # bytes gathered before a write


def stream(
    mixture: Mixture, file: IO[bytes], *, seed: int, worker: int = 0, workers: int = 1, trust: bool = False,
    count: int = 0, curriculum: str = "",
) -> int:  # fmt: skip
    """Write documents until the reader leaves, or so many; how many were written.

    `curriculum` is a file of factors, perhaps not there yet, that is read again whenever it changes.
    """
    factors = Factors(curriculum)
    return send(
        documents(mixture, seed=seed, worker=worker, workers=workers, trust=trust, factors=factors),
        file,
        count,
    )


def send(made: Iterator[Document], file: IO[bytes], count: int = 0) -> int:
    """Write documents as frames until the reader leaves, or so many; how many were written."""
    number, waiting = 0, bytearray()
    with contextlib.closing(made), contextlib.suppress(BrokenPipeError):  # type: ignore[type-var]
        for document in made:
            waiting += frame(document)
            number += 1
            if len(waiting) >= CHUNK or number == count:
                file.write(waiting)
                file.flush()
                waiting.clear()
            if number == count:
                break
    return number


def piped(act: Callable[[], object]) -> int:
    """Do what writes to standard output for a reader that may leave; the exit status of the command that it is."""
    try:
        act()
    except WorldlineError as error:
        print(f"worldline: {error.slug}: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    finally:
        # The reader may be gone: nothing is left to flush for it.
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """The command; its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m worldline.data.stream", description="framed documents on stdout"
    )
    parser.add_argument("--recipe", required=True, help="a recipe's name or file")
    parser.add_argument("--function", default="data", help="the function in it that returns a Mixture")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--worker", type=int, default=0, help="which of the workers this is, from 0")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--split", choices=SPLITS, help="instead of the recipe's own")
    parser.add_argument("--count", type=int, default=0, help="stop after so many; 0: when the reader leaves")
    parser.add_argument(
        "--curriculum", default="", help="a file of factors of the shares, read as it changes"
    )
    parser.add_argument("--trust", action="store_true", help="run programs without a box")
    asked = parser.parse_args(argv)

    def act() -> None:
        mixture = load_config(asked.recipe, asked.function, Mixture)
        if asked.split:
            mixture = replace(mixture, split=asked.split)
        stream(
            mixture, sys.stdout.buffer, seed=asked.seed, worker=asked.worker, workers=asked.workers,
            trust=asked.trust, count=asked.count, curriculum=asked.curriculum,
        )  # fmt: skip

    return piped(act)


if __name__ == "__main__":
    sys.exit(main())
