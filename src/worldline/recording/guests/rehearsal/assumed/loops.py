"""Loops that take too long: stopped after some rounds, with the values they would end with where these are regular.

The source of the script is compiled with its loops counted (`counted`). A loop that runs for longer than its share of
the time is watched for some rounds and stopped. Values that follow a rule (`regularity`) are set to their value after
the last round, if the number of rounds is known. Other plain values that the loop assigns become unknown, and lists and
the like stay as they are. Every stopped loop is reported with these names.
"""

from __future__ import annotations

import builtins
import time
from collections.abc import Iterator
from sys import _getframe
from typing import Any

from .answers import Answers, spell
from .counted import AFTER, MORE, ROUNDS
from .regularity import PLAIN, Rule, Seen, find_rules
from .unknown import is_unknown, unknown

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

BY_LOOP = "loop"
MIN_WATCHED, MAX_WATCHED = 8, 48  # rounds that are watched before a loop is stopped
WATCHED_SHARE = 0.5  # of the loop's time, for more than the fewest rounds
MARKS = 16  # earlier rounds whose values are kept, spread over the loop's time
SETTLED_MARKS = 4  # the first ones, which a rule need not give: a sequence may settle late
CREDIT = 3  # times of a loop that stopped loops inside it may take
FASTEST = 64  # the loop of a line is stopped sooner each time, at most by this
MAX_ROUNDS = 1 << 62
_clock = time.monotonic  # the real one: the script's jumps over what it sleeps
_HOLDERS = (list, dict, set, bytearray)
_COUNTABLE: tuple[type, ...] = (
    *_HOLDERS,
    range,
    tuple,
    frozenset,
    str,
    bytes,
    type({}.keys()),
    type({}.values()),
    type({}.items()),
)


class _Watch:
    """One loop while it runs: the plain values of its frame at some rounds, and in the last ones all of them."""

    def __init__(self, now: float, seconds: float, done: int = 0) -> None:
        self.start, self.seconds, self.done = now, seconds, done
        self.end = now + seconds
        self.mark = now + seconds / MARKS
        self.earlier: list[Seen] = []
        self.watched: list[dict[str, Any]] = []

    def look(self, now: float, frame: Any) -> bool:
        """Note the values of a frame at a mark. Return whether the loop has to stop."""
        if now <= self.end:
            self.earlier.append((self.done, _values(frame)))
            self.mark = min(self.end, now + self.seconds / MARKS)
            return False
        self.watched.append(_values(frame))
        count = len(self.watched)
        return count >= MAX_WATCHED or (count >= MIN_WATCHED and now > self.end + WATCHED_SHARE * self.seconds)

    def rules(self) -> dict[str, Rule]:
        """The rule of each name that follows one, from the first watched round on."""
        return find_rules(self.watched, self.earlier[SETTLED_MARKS:], self.done - len(self.watched) + 1)

    def has_changed(self, name: str) -> bool:
        """Tell whether a name held different values in the rounds that were seen."""
        rows = [values for _, values in self.earlier] + self.watched
        return any(name in row and row[name] != self.watched[-1].get(name) for row in rows)


class Loops:
    """Counts the rounds of loops, and stops those that take longer than `seconds`."""

    def __init__(self, answers: Answers, seconds: float) -> None:
        self._answers, self._seconds = answers, seconds
        self._left: dict[tuple[int, int], dict[str, Any]] = {}
        self._while: dict[tuple[int, int], _Watch] = {}
        self._stops: dict[int, int] = {}
        self._credit = 0.0

    def install(self) -> None:
        """Make the functions that the rewritten source calls available to it."""
        for name, function in ((ROUNDS, self.rounds), (MORE, self.more), (AFTER, self.after)):
            setattr(builtins, name, function)

    def _now(self) -> float:
        """The time, without what stopped loops have taken: a loop around them goes on."""
        return _clock() - self._credit

    def _watch(self, line: int) -> _Watch:
        return _Watch(self._now(), self._seconds / min(FASTEST, 2 ** min(8, self._stops.get(line, 0))))

    def rounds(self, line: int, items: Any, *facts: Any) -> Iterator[Any]:
        """Yield the items of a `for` loop, until it takes too long."""
        watch = self._watch(line)
        source = iter(items)
        for item in source:
            now = self._now()
            if now > watch.mark and watch.look(now, _getframe(1)):
                left = len(items) - watch.done if type(items) in _COUNTABLE else _items_left(source)
                self._stop(line, watch, left, facts, _getframe(1))
                return
            watch.done += 1
            yield item

    def more(self, line: int, test: str, *facts: Any) -> bool:
        """Tell whether a `while` loop goes on: it does, until it takes too long."""
        frame: Any = _getframe(1)
        key = (id(frame), line)
        watch = self._while.get(key)
        if watch is None:
            watch = self._while[key] = self._watch(line)
        now = self._now()
        if now > watch.mark and watch.look(now, frame):
            left = _rounds_left(test, watch, frame) if test else None
            self._stop(line, watch, left, facts, frame)
            return False
        watch.done += 1
        return True

    def after(self, line: int) -> dict[str, Any]:
        """Return the values that a loop in this frame would have ended with, if it was stopped."""
        key = (id(_getframe(1)), line)
        self._while.pop(key, None)
        return self._left.pop(key, {})

    def _stop(self, line: int, watch: _Watch, left: int | None, facts: tuple[Any, ...], frame: Any) -> None:
        """Report a loop that is stopped, and keep what its names are set to."""
        self._stops[line] = self._stops.get(line, 0) + 1
        self._credit = min(self._credit + self._now() - watch.start, CREDIT * self._seconds)
        assigned, touched, has_exit = facts or ("", "", False)
        last, settable = watch.watched[-1], set(assigned.split())
        rules = {} if left is None else watch.rules()
        ends = {name: rule(len(watch.watched) - 1 + (left or 0)) for name, rule in rules.items() if name in settable}
        moving = {name: ends[name] for name in sorted(ends) if ends[name] != last[name]}
        lost = sorted(name for name in last if name not in ends and watch.has_changed(name))
        place = f"line {line}" if self._stops[line] == 1 else f"line {line}, stop {self._stops[line]}"
        named = {name: unknown(f"{name} after {place}", last[name]) for name in lost if name in settable}
        self._left[id(frame), line] = {**moving, **named}
        rest = "an unknown number of rounds" if left is None else f"{left:,} more"
        early = " (fewer if it ends early)" if has_exit and left is not None else ""
        parts = (
            _listed("extrapolated", [f"{name} = {spell(value)}" for name, value in moving.items()]),
            _listed("not known", lost),
            _listed("incomplete", _incomplete(frame, settable.union(touched.split()))),
        )
        what = f"the loop is stopped after {watch.done:,} rounds, before {rest}{early}"
        self._answers.assume(what, "; ".join(filter(None, parts)), BY_LOOP, frame)


def _listed(title: str, names: list[str]) -> str:
    return f"{title}: {', '.join(names)}" if names else ""


def _values(frame: Any) -> dict[str, Any]:
    """The plain values among the names of a frame."""
    named = frame.f_locals.items()
    return {name: value for name, value in named if type(value) in PLAIN and not name.startswith("_")}


def _incomplete(frame: Any, names: set[str]) -> list[str]:
    """Names of lists and the like, and of the script's own objects, that a stopped loop did not finish."""
    values = {name: frame.f_locals[name] for name in sorted(names) if name in frame.f_locals}
    return [
        name
        for name, value in values.items()
        if type(value) in _HOLDERS or (type(value).__module__ == "__main__" and not is_unknown(value))
    ]


def _items_left(source: Any) -> int | None:
    """Return how many items an iterator of the interpreter had, before the last one was taken; None if unknown."""
    kind = type(source)
    if kind in (enumerate, zip):
        sources = source.__reduce__()[1]
        counts = [_items_left(inner) for inner in (sources[:1] if kind is enumerate else sources)]
        return None if not counts or None in counts else min(count for count in counts if count is not None)
    hint = getattr(source, "__length_hint__", None) if kind.__module__ == "builtins" else None
    return None if hint is None else hint() + 1


def _rounds_left(test: str, watch: _Watch, frame: Any) -> int | None:
    """Return after how many rounds a test fails, by the values that it would compare; None if it is not known."""
    code = compile(test, "<test>", "eval", dont_inherit=True)
    rules, at = watch.rules(), len(watch.watched) - 1
    needed = {name for name in code.co_names if name in watch.watched[-1]}
    fixed = {**frame.f_globals, **frame.f_locals}

    def holds(rounds: int) -> bool | None:
        if needed - rules.keys():
            return None
        return bool(eval(code, {**fixed, **{name: rules[name](at + rounds) for name in needed}}))

    reach = 1
    while (state := holds(reach)) and reach < MAX_ROUNDS:
        reach *= 2
    if state is not False:
        return None
    low = reach // 2
    while reach - low > 1:
        middle = (low + reach) // 2
        low, reach = (middle, reach) if holds(middle) else (low, middle)
    return reach
