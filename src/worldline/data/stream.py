"""Write a recipe's documents to standard output as frames: `python -m worldline.data.stream`.

A trainer starts one process per core, possibly under another interpreter. Needs only the standard
library, worldline and msgspec. Stops when the reader closes.
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
from worldline.data.document import Document, frame_document
from worldline.data.lessons import Factors
from worldline.data.mixture import Mixture, draw_documents
from worldline.data.recipe import load_config
from worldline.programs.split import SPLITS

# Bytes gathered before a write.
WRITE_BYTES = 1 << 16


def stream_documents(
    mixture: Mixture,
    file: IO[bytes],
    *,
    seed: int,
    worker: int = 0,
    workers: int = 1,
    trust: bool = False,
    count: int = 0,
    curriculum: str = "",
) -> int:
    """Write documents until the reader closes, or `count` of them.

    Args:
        mixture: What to draw.
        file: Where to write frames.
        seed: Seed of the stream.
        worker: Number of this worker.
        workers: Number of workers.
        trust: Whether to run programs without a sandbox.
        count: Number of documents; 0 for no limit.
        curriculum: File of factors, reread whenever it changes; it may not exist yet.

    Returns:
        Number of documents written.
    """
    factors = Factors(curriculum)
    return send_documents(
        draw_documents(mixture, seed=seed, worker=worker, workers=workers, trust=trust, factors=factors), file, count
    )


def send_documents(documents: Iterator[Document], file: IO[bytes], count: int = 0) -> int:
    """Write documents as frames until the reader closes, or `count` of them; return the number."""
    number, waiting = 0, bytearray()
    with contextlib.closing(documents), contextlib.suppress(BrokenPipeError):  # type: ignore[type-var]
        for document in documents:
            waiting += frame_document(document)
            number += 1
            if len(waiting) >= WRITE_BYTES or number == count:
                file.write(waiting)
                file.flush()
                waiting.clear()
            if number == count:
                break
    return number


def run_piped(act: Callable[[], object]) -> int:
    """Run a function that writes to standard output, whose reader may close; return the exit status."""
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
    """Run the command; return its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m worldline.data.stream", description="Write framed documents to stdout."
    )
    parser.add_argument("--recipe", required=True, help="recipe name or file")
    parser.add_argument("--function", default="data", help="function of the recipe that returns a Mixture")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--worker", type=int, default=0, help="number of this worker, from 0")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--split", choices=SPLITS, help="split, instead of the recipe's")
    parser.add_argument("--count", type=int, default=0, help="documents to write; 0: until the reader closes")
    parser.add_argument("--curriculum", default="", help="curriculum file, reread as it changes")
    parser.add_argument("--trust", action="store_true", help="run programs without a sandbox")
    options = parser.parse_args(argv)

    def act() -> None:
        mixture = load_config(options.recipe, options.function, Mixture)
        if options.split:
            mixture = replace(mixture, split=options.split)
        stream_documents(
            mixture,
            sys.stdout.buffer,
            seed=options.seed,
            worker=options.worker,
            workers=options.workers,
            trust=options.trust,
            count=options.count,
            curriculum=options.curriculum,
        )

    return run_piped(act)


if __name__ == "__main__":
    sys.exit(main())
