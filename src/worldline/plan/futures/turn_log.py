"""The log of one run by turns: who had each turn, who could have had it, and what each accessed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from worldline.recording.guests.turns.footprint import Entry, read_footprint

MAX_TURNS = 1_000_000


@dataclass(frozen=True)
class UpcomingTurn:
    """What a thread would do in its next turn, and whether it waits for something first."""

    entries: tuple[Entry, ...]
    is_waiting: bool


@dataclass(frozen=True)
class RaceTurn:
    """One turn: its thread, the threads that could have had it, what it accessed, and the threads it started."""

    thread: int
    ready: Mapping[int, UpcomingTurn]
    entries: tuple[Entry, ...]
    started: tuple[int, ...]


@dataclass(frozen=True)
class TurnLog:
    """The turns of one run.

    Attributes:
        turns: In their order.
        unended: What the threads would have done that had not ended.
        is_whole: Whether the run ended by itself or in a deadlock, so that no turn is missing.
        is_redundant: Whether the run was ended early, because another one has the rest of it.
        is_astray: Whether the run could not follow its schedule.
        is_late: Whether a sleep or a timeout ended.
        doubt: Why accesses may have been missed.
    """

    turns: tuple[RaceTurn, ...]
    unended: Mapping[int, UpcomingTurn]
    is_whole: bool
    is_redundant: bool
    is_astray: bool
    is_late: bool
    doubt: str


def read_log(facts: Mapping[str, str]) -> TurnLog:
    """Read the log that guests/turns/turns.py wrote. What is malformed ends it: the program may have written it."""
    turns, texts = list[RaceTurn](), dict[str, tuple[Entry, ...]]()
    try:
        while len(turns) < MAX_TURNS and (text := facts.get(f"turn {len(turns)}")) is not None:
            thread, ready, entries, started = text.split(";")
            turns.append(
                RaceTurn(
                    int(thread), _upcoming(ready, texts), _entries(entries, texts), tuple(map(int, started.split()))
                )
            )
        unended, is_whole = _upcoming(facts.get("waiting", ""), texts), "waiting" in facts
    except (ValueError, IndexError):
        unended, is_whole = {}, False
    return TurnLog(
        turns=tuple(turns),
        unended=unended,
        is_whole=is_whole or not turns,
        is_redundant="redundant" in facts,
        is_astray="astray" in facts,
        is_late="late" in facts,
        doubt=facts.get("doubt", ""),
    )


def _upcoming(text: str, texts: dict[str, tuple[Entry, ...]]) -> dict[int, UpcomingTurn]:
    threads = dict[int, UpcomingTurn]()
    for part in text.split(",") if text else ():
        number, _, entries = part.partition("=")
        threads[int(number)] = UpcomingTurn(_entries(entries.removeprefix("!"), texts), entries.startswith("!"))
    return threads


def _entries(text: str, texts: dict[str, tuple[Entry, ...]]) -> tuple[Entry, ...]:
    """Return the entries of a text; the same text is read once."""
    if text not in texts:
        texts[text] = read_footprint(text)
    return texts[text]
