"""Mined calls, stored: one JSON object a line, compressed; drawn from as programs, or written out as documents."""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from worldline import files
from worldline.core.program import Program
from worldline.data.document import write
from worldline.data.mixture import ALL, TOGETHER, Mixture, written
from worldline.errors import FormatError, UsageError
from worldline.programs.split import split_of
from worldline.recording.recorder import BoxWorker, prepare
from worldline.recording.together import record_all, stretched


@dataclass(frozen=True)
class Mined:
    """One call of a mined function, and where the function is from."""

    source: str
    call: str
    origin: str
    key: str
    shown: bool = False  # by a doctest, an assertion or a test, not drawn

    @property
    def program(self) -> Program:
        """What is run."""
        return Program(source=self.source, call=self.call)


def read_mined(path: str | Path) -> list[Mined]:
    """The calls of a mined file."""
    try:
        with lzma.open(path, "rb") as file:
            return [Mined(**json.loads(line)) for line in file]
    except (OSError, lzma.LZMAError, ValueError, TypeError, EOFError) as error:
        raise FormatError(f"{path}: no file of mined programs: {error}") from None


def drawer(path: str) -> Callable[[Random], Program]:
    """A source of programs for a mixture: any function of a mined file, any of its calls."""
    by_function: dict[str, list[Mined]] = {}
    for each in read_mined(path):
        by_function.setdefault(each.key, []).append(each)
    groups: list[Any] = list(by_function.values())
    if not groups:
        raise UsageError(f"{path}: nothing was mined")
    return lambda rng: rng.choice(rng.choice(groups)).program


def written_out(
    path: str | Path, out: str | Path, *, mixture: Mixture, times: int = 1, trust: bool = False
) -> int:
    """The mined calls of a mixture's split as framed documents, compressed, each in `times` drawn modes; how many."""
    chosen = [each for each in read_mined(path) if mixture.split in (ALL, split_of(each.key))]
    rng = Random(f"{mixture.seed}/mined")
    limits = stretched(mixture.limits, TOGETHER)
    worker = BoxWorker(prepare(limits=limits, python=None, core="auto", trust=trust))
    draft, made = files.Draft(Path(out)), 0
    try:
        with lzma.open(draft, "wb", preset=6) as file:  # type: ignore[call-overload]
            for at in range(0, len(chosen), TOGETHER):
                some = chosen[at : at + TOGETHER]
                for each, trace in zip(some, record_all(worker, [one.program for one in some]), strict=True):
                    modes = (
                        [written(mixture, rng, trace, kind="mine", hashed=each.key) for _ in range(times)]
                        if trace
                        else []
                    )
                    fit = [document for document in modes if document is not None]
                    write(fit, file)
                    made += len(fit)
        draft.commit()
    except BaseException:
        draft.discard()
        raise
    finally:
        worker.close()
    return made
