"""Mined calls, stored: one JSON object a line, compressed; drawn from as programs, or written out as documents."""

from __future__ import annotations

import json
import lzma
import warnings
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from worldline.core.errors import FormatError, UsageError
from worldline.core.program import Program
from worldline.data.document import frame, is_sound
from worldline.data.forms.form import in_form
from worldline.data.mixture import ALL, TOGETHER, Mixture, written
from worldline.parallel.pool import Here, in_order
from worldline.programs.split import split_of
from worldline.recording.recorder import BoxWorker, prepare
from worldline.recording.together import record_all, stretched
from worldline.storage import files

FORMED = 0.35  # of the documents
SHARES = {
    "flatten": 0.55, "chars": 0.1, "among": 0.1, "flatten among": 0.05, "script": 0.08, "nested": 0.06, "method": 0.06,
}  # fmt: skip


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
            return [_mined(json.loads(line)) for line in file]
    except (OSError, lzma.LZMAError, ValueError, TypeError, EOFError, RecursionError) as error:
        raise FormatError(f"{path}: no file of mined programs: {error}") from None


def _mined(row: Any) -> Mined:
    """A line's call; TypeError unless its fields are of their types."""
    found = Mined(**row)
    texts = (found.source, found.call, found.origin, found.key)
    if not all(isinstance(text, str) for text in texts) or not isinstance(found.shown, bool):
        raise TypeError("a field is of another type")
    return found


def drawer(path: str) -> Callable[[Random], Program]:
    """A source of programs for a mixture: any function of a mined file, any of its calls."""
    by_function: dict[str, list[Mined]] = {}
    for each in read_mined(path):
        by_function.setdefault(each.key, []).append(each)
    groups: list[Any] = list(by_function.values())
    if not groups:
        raise UsageError(f"{path}: nothing was mined")
    return lambda rng: rng.choice(rng.choice(groups)).program


@dataclass(frozen=True)
class _Written:
    """How calls become documents: by which mixture, how often each, boxed or not."""

    mixture: Mixture
    times: int
    trust: bool


class _Writer:
    """One worker: records some calls, each plain or in a form, and writes them in drawn modes."""

    def __init__(self, how: _Written) -> None:
        limits = stretched(how.mixture.limits, TOGETHER)
        self.how = how
        self.worker = BoxWorker(prepare(limits=limits, python=None, core="auto", trust=how.trust))

    def __call__(self, item: tuple[int, list[Mined]]) -> tuple[int, bytes]:
        """How many documents come of these calls, and their frames."""
        number, some = item
        mixture, rng = self.how.mixture, Random(f"{self.how.mixture.seed}/mined/{number}")
        chosen = [(each.key, made) for each in some for made in versions(each.program, rng, self.how.times)]
        traces = record_all(self.worker, [program for _, program in chosen])
        documents = [
            written(mixture, rng, trace, kind="mine", hashed=hashed)
            for (hashed, _), trace in zip(chosen, traces, strict=True)
            if trace is not None and is_sound(trace)
        ]
        fit = [frame(document) for document in documents if document is not None]
        return len(fit), b"".join(fit)

    def close(self) -> None:
        """Let go of the box."""
        self.worker.close()


def versions(program: Program, rng: Random, times: int) -> list[Program]:
    """A program so many times, each time plain or, for a share, in a form."""
    return [_version(program, rng) for _ in range(times)]


def _version(program: Program, rng: Random) -> Program:
    if rng.random() >= FORMED:
        return program
    try:
        made = in_form(program, rng.choices(list(SHARES), list(SHARES.values()))[0], rng)
    except Exception as error:
        warnings.warn(f"a form failed: {error!r}", stacklevel=2)
        made = None
    return made or program


def written_out(
    path: str | Path,
    out: str | Path,
    *,
    mixture: Mixture,
    times: int = 1,
    trust: bool = False,
    workers: int = 1,
) -> int:
    """The mined calls of a mixture's split as framed documents, compressed, each `times` in drawn modes; how many."""
    chosen = [each for each in read_mined(path) if mixture.split in (ALL, split_of(each.key))]
    groups = [(at, chosen[at : at + TOGETHER]) for at in range(0, len(chosen), TOGETHER)]
    coming = Here(workers).map(partial(_Writer, _Written(mixture, times, trust)), groups)
    draft, made = files.Draft(Path(out)), 0
    try:
        with (
            lzma.open(draft, "wb", preset=6) as file,  # type: ignore[call-overload]
            closing(in_order(coming)) as results,
        ):
            for count, data in results:
                file.write(data)
                made += count
        draft.commit()
    except BaseException:
        draft.discard()
        raise
    return made
