"""Where the calls that a model is adapted by come from: the functions of a folder, or a journal of what had to be run.

A folder's functions are found and called in the box, as `data mine` does, with several seeds. A journal has the
programs that an oracle was not sure of and ran: each is a lesson, and running it again is all that it takes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from worldline.core.errors import UsageError
from worldline.data.mine.mine import mine
from worldline.data.mine.mined import read_mined
from worldline.learning.own_calls import OwnCall, function_of, run_of
from worldline.plan.imagined import OPTIONS
from worldline.plan.journal import read_journal

ROUNDS = 3  # seeds that arguments are drawn with
FEWEST = 12  # calls that something can be learned and measured with


def own_calls(
    folder: str | Path | None = None, *, journal: str | Path | None = None, seed: int = 0, trust: bool = False
) -> list[OwnCall]:
    """The runs of a folder's functions, of a journal, or of both, no two of them the same; UsageError if few."""
    if folder is None and journal is None:
        raise UsageError("a model is adapted to a folder or to a journal: none was given")
    found: dict[str, OwnCall] = {}
    for each in _journal_calls(journal) if journal is not None else ():
        found.setdefault(run_of(each.program), each)
    for each in _folder_calls(folder, seed=seed, trust=trust) if folder is not None else ():
        found.setdefault(run_of(each.program), each)
    if len(found) < FEWEST:
        raise UsageError(_few(len(found), folder, journal))
    return list(found.values())


def _few(count: int, folder: str | Path | None, journal: str | Path | None) -> str:
    if folder is None:
        return f"{journal}: {count} runs, too few to learn from ({FEWEST}): `ask --journal` stores what it had to run"
    return (
        f"{folder}: {count} calls could be recorded, too few to learn from ({FEWEST}): functions are "
        "called that take plain values and need nothing from outside, or that doctests and tests call"
    )


def _folder_calls(folder: str | Path, *, seed: int, trust: bool) -> Iterator[OwnCall]:
    """The calls of a folder's functions that can be recorded."""
    with tempfile.TemporaryDirectory(prefix="worldline-") as space:
        for turn in range(ROUNDS):
            out = Path(space) / f"{turn}.xz"
            mine([str(folder)], out=out, seed=seed + turn, trust=trust)
            for each in read_mined(out):
                yield OwnCall(program=each.program, origin=each.origin, key=each.key)


def _journal_calls(journal: str | Path) -> Iterator[OwnCall]:
    """The runs that a journal has: of one that was asked several questions, one is enough."""
    for entry in read_journal(Path(journal)):
        function = function_of(entry.program)
        yield OwnCall(
            program=entry.program,
            origin=f"{entry.program.name} {function[:8]}",
            key=function,
            options=OPTIONS,
        )
