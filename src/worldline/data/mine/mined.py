"""Stored mined calls: compressed JSON lines, drawn as programs or written as documents."""

from __future__ import annotations

import json
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
from worldline.data.document import frame_document, is_sound
from worldline.data.forms.form import apply_form
from worldline.data.mixture import ALL_SPLITS, BATCH_PROGRAMS, Mixture, write_document
from worldline.parallel.pool import LocalPool, in_order
from worldline.programs.split import split_of
from worldline.recording.recorder import SandboxWorker, prepare
from worldline.recording.together import record_all, stretched
from worldline.storage import files
from worldline.storage.compression import UNREADABLE, compressing, open_decompressed

# Share of the documents that are written in a form.
FORM_SHARE = 0.6
FORM_WEIGHTS = {
    "flatten": 0.65,
    "chars": 0.08,
    "among": 0.06,
    "flatten among": 0.05,
    "script": 0.06,
    "nested": 0.05,
    "method": 0.05,
}


@dataclass(frozen=True)
class MinedCall:
    """One call of a mined function.

    Attributes:
        source: Self-contained source.
        call: The call.
        origin: Where the function comes from.
        key: Hash of the program.
        shown: Whether people wrote the call (in a doctest, assertion or test).
    """

    source: str
    call: str
    origin: str
    key: str
    shown: bool = False

    @property
    def program(self) -> Program:
        """The program to run."""
        return Program(source=self.source, call=self.call)


def read_mined(path: str | Path) -> list[MinedCall]:
    """Read the calls of a mined file."""
    try:
        with open_decompressed(path) as file:
            return [_parse_mined(json.loads(line)) for line in file]
    except (*UNREADABLE, ValueError, TypeError, RecursionError) as error:
        raise FormatError(f"{path}: not a file of mined programs: {error}") from None


def _parse_mined(row: Any) -> MinedCall:
    """Parse a line; raise TypeError unless its fields have their types."""
    mined = MinedCall(**row)
    texts = (mined.source, mined.call, mined.origin, mined.key)
    if not all(isinstance(text, str) for text in texts) or not isinstance(mined.shown, bool):
        raise TypeError("a field has another type")
    return mined


def drawer(path: str) -> Callable[[Random], Program]:
    """Return a draw function for a mixture: any function of a mined file, any of its calls."""
    by_function: dict[str, list[MinedCall]] = {}
    for mined in read_mined(path):
        by_function.setdefault(mined.key, []).append(mined)
    groups: list[Any] = list(by_function.values())
    if not groups:
        raise UsageError(f"{path} has no mined programs")
    return lambda rng: rng.choice(rng.choice(groups)).program


@dataclass(frozen=True)
class _WriteOptions:
    """How calls become documents: mixture, repetitions, sandbox."""

    mixture: Mixture
    times: int
    trust: bool


class _DocumentWriter:
    """A worker that records calls, plain or in a form, and writes them in random modes."""

    def __init__(self, how: _WriteOptions) -> None:
        limits = stretched(how.mixture.limits, BATCH_PROGRAMS)
        self.how = how
        self.worker = SandboxWorker(prepare(limits=limits, python=None, core="auto", trust=how.trust))

    def __call__(self, item: tuple[int, list[MinedCall]]) -> tuple[int, bytes]:
        """Return the number of documents of these calls, and their frames."""
        number, group = item
        mixture, rng = self.how.mixture, Random(f"{self.how.mixture.seed}/mined/{number}")
        chosen = [
            (mined.key, version) for mined in group for version in draw_versions(mined.program, rng, self.how.times)
        ]
        traces = record_all(self.worker, [program for _, program in chosen])
        documents = [
            write_document(mixture, rng, trace, kind="mine", hashed=hashed)
            for (hashed, _), trace in zip(chosen, traces, strict=True)
            if trace is not None and is_sound(trace)
        ]
        fit = [frame_document(document) for document in documents if document is not None]
        return len(fit), b"".join(fit)

    def close(self) -> None:
        """Release the sandbox."""
        self.worker.close()


def draw_versions(program: Program, rng: Random, times: int) -> list[Program]:
    """Return a program `times` times, each time plain or in a form."""
    return [_draw_version(program, rng) for _ in range(times)]


def _draw_version(program: Program, rng: Random) -> Program:
    if rng.random() >= FORM_SHARE:
        return program
    try:
        shaped = apply_form(program, rng.choices(list(FORM_WEIGHTS), list(FORM_WEIGHTS.values()))[0], rng)
    except Exception as error:
        warnings.warn(f"applying a form failed: {error!r}", stacklevel=2)
        shaped = None
    return shaped or program


def write_mined_documents(
    path: str | Path, out: str | Path, *, mixture: Mixture, times: int = 1, trust: bool = False, workers: int = 1
) -> int:
    """Write the mined calls of a mixture's split as framed documents, compressed if the name ends in `.xz`.

    Args:
        path: Mined file.
        out: File to write.
        mixture: Modes and split.
        times: Documents per call.
        trust: Whether to run without a sandbox.
        workers: Number of processes.

    Returns:
        Number of documents.
    """
    chosen = [mined for mined in read_mined(path) if mixture.split in (ALL_SPLITS, split_of(mined.key))]
    groups = [(at, chosen[at : at + BATCH_PROGRAMS]) for at in range(0, len(chosen), BATCH_PROGRAMS)]
    batches = LocalPool(workers).map(partial(_DocumentWriter, _WriteOptions(mixture, times, trust)), groups)
    draft, written = files.Draft(Path(out)), 0
    try:
        with compressing(draft) as file, closing(in_order(batches)) as results:
            for count, data in results:
                file.write(data)
                written += count
        draft.commit()
    except BaseException:
        draft.discard()
        raise
    return written
