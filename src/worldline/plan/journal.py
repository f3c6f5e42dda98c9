"""The journal of a code base: a folder that stores every question that was answered by an execution.

    journal.jsonl   a header line, then one line per execution: the program, the question, why it was executed,
                    the prediction and its confidence, the true answer

A gate is fitted on it, and a model can learn from it. Traces are not stored: a program can be recorded again. The
journal holds source and values of the user's code, so it stays where the user put it. Torn lines are skipped; several
processes may append, one line at a time.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from worldline.core.errors import FormatError, UsageError
from worldline.core.program import Program
from worldline.plan.code_features import code_features
from worldline.plan.ledger import LedgerEntry
from worldline.plan.question import Question, read_question
from worldline.storage import files

NAME = "journal.jsonl"
HEAD: dict[str, Any] = {"format": "worldline-questions", "version": 1}
MAX_BYTES = 1 << 30


@dataclass(frozen=True, kw_only=True)
class JournalEntry:
    """A question that was answered by an execution: the prediction before it (None if there was none), and the truth.

    `score` is the natural log-probability of the prediction, and `probability` the gate's bound for it. `model` is the
    digest of the weights, or their name. `told` counts the true steps before the prediction; 0 for a whole prediction,
    also in files of older releases. `date` is that of the execution, and `drew` says whether it drew random numbers or
    read a clock, so that another execution may differ; files of older releases do not say (empty, None).
    """

    program: Program
    question: Question
    true: str
    imagined: str | None = None
    probability: float | None = None
    score: float | None = None
    why: str = ""
    model: str = ""
    told: int = 0
    date: str = ""
    drew: bool | None = None

    @property
    def ledger(self) -> LedgerEntry:
        """The entry without the program's text: what a gate is fitted on."""
        return LedgerEntry(
            digest=self.program.digest,
            question=str(self.question),
            why=self.why,
            imagined=self.imagined,
            true=self.true,
            score=self.score,
            probability=self.probability,
            model=self.model,
            told=self.told,
            code=code_features(self.program),
        )


def read_journal(directory: str | Path) -> list[JournalEntry]:
    """Read every entry, oldest first.

    Args:
        directory: The folder of the journal.

    Returns:
        The entries; an empty list if the folder has no journal.

    Raises:
        FormatError: The file is not a journal.
    """
    path = _folder(directory) / NAME
    if not os.path.lexists(path):
        return []
    lines = files.read_plain(path, limit=MAX_BYTES).split(b"\n")
    return [entry for number, line in enumerate(lines, 1) if (entry := _read(path, number, line)) is not None]


def append(directory: str | Path, entries: Sequence[JournalEntry]) -> None:
    """Append entries to the journal of a folder, which is created if it is missing; durable on return."""
    folder = _folder(directory)
    files.make_directory(folder)
    path = folder / NAME
    read_head(path)
    with files.disk(path):
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "r+b", buffering=0) as file:
            size = file.seek(0, os.SEEK_END)
            torn = size > 0 and os.pread(fd, 1, size - 1) != b"\n"
            lines = [] if size else [json.dumps(HEAD).encode()]
            lines += [json.dumps(_row(entry)).encode() for entry in entries]
            file.write(b"\n" * torn + b"".join(line + b"\n" for line in lines))
            os.fsync(fd)


def _folder(directory: str | Path) -> Path:
    """Return the path of the folder; UsageError if it is a file."""
    folder = Path(directory)
    if os.path.lexists(folder) and not folder.is_dir():
        raise UsageError(f"{folder} is a file: a journal is a folder, which is created if it is missing")
    return folder


def read_head(path: Path) -> None:
    """Check the header; FormatError if the file is not a journal."""
    if not os.path.lexists(path):
        return
    with files.disk(path):
        file = files.open_regular(path)
    if file is None:
        raise FormatError(f"{path} is not a plain file")
    with file:
        line = file.read(1 << 16).partition(b"\n")[0]
    if line:
        _read(path, 1, line)


def _read(path: Path, number: int, line: bytes) -> JournalEntry | None:
    """Parse a line; None for the header and for a torn line."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        if number > 1 or not line:
            return None
        row = None
    if number == 1:
        if row != HEAD:
            raise FormatError(f"{path} is not a journal that this release reads: {HEAD} is expected")
        return None
    try:
        return None if row == HEAD else _entry(row)
    except (KeyError, TypeError, ValueError, AttributeError, UsageError) as error:
        raise FormatError(f"{path}, line {number}, is not a journal entry: {error}") from None


def _entry(row: Any) -> JournalEntry:
    program = {**row["program"]}
    program |= {name: tuple(program.get(name, ())) for name in ("argv", "flags", "vm_flags")}
    program["files"] = tuple((name, text) for name, text in program.get("files", ()))
    values = {column.name: row[column.name] for column in fields(JournalEntry) if column.name in row}
    values |= {"program": Program(**program), "question": read_question(row["question"])}
    entry = JournalEntry(**values)
    texts = (entry.true, entry.why, entry.model, entry.date, entry.program.source, entry.imagined or "")
    numbers = (entry.probability or 0.0, entry.score or 0.0, entry.told)
    if not all(isinstance(text, str) for text in texts) or not all(type(n) in (int, float) for n in numbers):
        raise TypeError("a field has the wrong type")
    if entry.drew is not None and not isinstance(entry.drew, bool):
        raise TypeError("`drew` is not true or false")
    if any(math.isnan(n) for n in numbers):
        raise ValueError("a number is NaN")
    return entry


def _row(entry: JournalEntry) -> dict[str, Any]:
    """The fields of an entry that differ from the default."""
    program, usual = entry.program, Program(source=entry.program.source)
    run = {
        column.name: value
        for column in fields(Program)
        if (value := getattr(program, column.name)) != getattr(usual, column.name)
    }
    rest = {column.name: getattr(entry, column.name) for column in fields(JournalEntry)[2:]}
    return {"program": {"source": program.source, **run}, "question": str(entry.question), **rest}
