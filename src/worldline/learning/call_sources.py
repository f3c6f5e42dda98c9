"""Collect the calls that a model is adapted on: functions of a folder, or a journal of executed questions.

A folder's functions are mined and called in the sandbox with several seeds. A journal has the programs
that an oracle was not confident about and executed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from worldline.core.errors import UsageError
from worldline.data.mine.mine import MiningCounts, mine
from worldline.data.mine.mined import read_mined
from worldline.learning.own_calls import ASKED, GUESSED, WRITTEN, OwnCall
from worldline.plan.imagined import PROMPT_OPTIONS
from worldline.plan.journal import read_journal
from worldline.programs.reachable import hash_function, hash_run

# Seeds that arguments are drawn with.
MINING_ROUNDS = 3
# Fewer calls are too few to learn and measure.
MIN_CALLS = 12


def own_calls(
    folder: str | Path | None = None,
    *,
    journal: str | Path | None = None,
    seed: int = 0,
    trust: bool = False,
    is_late: Callable[[], bool] = lambda: False,
) -> list[OwnCall]:
    """Collect distinct runs of a folder's functions, of a journal, or of both.

    Args:
        folder: Folder with Python code.
        journal: Journal of `ask --journal`.
        seed: Seed of the arguments.
        trust: Whether to run without a sandbox.
        is_late: Whether to stop the search for calls, asked first and after every file.

    Returns:
        The calls.

    Raises:
        UsageError: Neither was passed, or there are too few calls.
    """
    if folder is None and journal is None:
        raise UsageError("a model is adapted to a folder or to a journal: pass one of them")
    is_late()
    calls: dict[str, OwnCall] = {}
    for call in _journal_calls(journal) if journal is not None else ():
        calls.setdefault(hash_run(call.program), call)
    for call in _folder_calls(folder, seed=seed, trust=trust, is_late=is_late) if folder is not None else ():
        calls.setdefault(hash_run(call.program), call)
    if len(calls) < MIN_CALLS:
        raise UsageError(_too_few_message(len(calls), folder, journal))
    return list(calls.values())


def _too_few_message(count: int, folder: str | Path | None, journal: str | Path | None) -> str:
    if folder is None:
        return f"{journal}: {count} runs, too few to learn from ({MIN_CALLS}): use `ask --journal` to collect more"
    return (
        f"{folder}: {count} calls could be recorded, too few to learn from ({MIN_CALLS}): functions are "
        "called that take plain values and need nothing from outside, or that doctests and tests call"
    )


class _OutOfTime(Exception):
    """The search for calls has used up its time."""


def _folder_calls(folder: str | Path, *, seed: int, trust: bool, is_late: Callable[[], bool]) -> Iterator[OwnCall]:
    """Calls of a folder's functions that can be recorded; those found so far if it gets late."""

    def stop_if_late(counts: MiningCounts) -> None:
        if is_late():
            raise _OutOfTime

    with tempfile.TemporaryDirectory(prefix="worldline-") as space:
        for turn in range(MINING_ROUNDS):
            if turn and is_late():
                return
            out = Path(space) / f"{turn}.jsonl"
            try:
                mine([str(folder)], out=out, seed=seed + turn, trust=trust, progress=stop_if_late)
            except _OutOfTime:
                mine([str(folder)], out=out, seed=seed + turn, trust=trust, known=True)
            for mined in read_mined(out):
                source = WRITTEN if mined.shown else GUESSED
                yield OwnCall(program=mined.program, origin=mined.origin, key=mined.key, source=source)


def _journal_calls(journal: str | Path) -> Iterator[OwnCall]:
    """Runs of a journal; one is enough for several questions."""
    for entry in read_journal(Path(journal)):
        function = hash_function(entry.program)
        yield OwnCall(
            program=entry.program,
            origin=f"{entry.program.name} {function[:8]}",
            key=function,
            source=ASKED,
            options=PROMPT_OPTIONS,
        )
