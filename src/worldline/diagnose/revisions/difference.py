"""What differs between the traces of one test on two revisions, as data. `compare` finds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from worldline.diagnose.value_diff import difference

#: `value`: a name has another value. `argument`: a function is called with another one. `result`: it returns or yields
#: another value. `line`: another line is taken. `exception`: another exception, or one on one side only. `output`:
#: another text is printed. `call`: a line that did not change calls another function. `end`: one test has more phases.
KINDS = ("value", "argument", "result", "line", "exception", "output", "call", "end")
#: Where the first divergence lies: in a changed line, in a function with a changed line, or in neither.
LOCATIONS = ("changed line", "changed function", "elsewhere")


@dataclass(frozen=True, kw_only=True)
class StepPlace:
    """A step of one revision, and whether its line was changed."""

    step: int
    file: str
    function: str
    line: int
    is_changed: bool = False

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class NameDifference:
    """A name with its value before and after; None if it has none."""

    name: str
    before: str | None
    after: str | None

    @property
    def path(self) -> str:
        """Where inside the two values the first difference is, such as `[3].x`; empty for the whole value."""
        if self.before is None or self.after is None:
            return ""
        part = difference(self.before, self.after)
        return part.path if part is not None else ""


@dataclass(frozen=True, kw_only=True)
class RevisionDivergence:
    """One difference in behaviour.

    Attributes:
        kind: One of `KINDS`.
        before: The step before the change; for a line, the step that decides; for an argument, the step that calls.
        after: The same after the change.
        names: The names whose values differ, of values and arguments.
        was: What happened before the change, as text: a value, an exception, the next line, a called function.
        now: The same after the change.
        callee: The function whose arguments differ.
        location: One of `LOCATIONS`.
    """

    kind: str
    before: StepPlace | None
    after: StepPlace | None
    names: tuple[NameDifference, ...] = ()
    was: str = ""
    now: str = ""
    callee: str = ""
    location: str = "elsewhere"

    @property
    def place(self) -> StepPlace:
        """The step after the change or, if there is none, before it."""
        place = self.after or self.before
        assert place is not None
        return place

    @property
    def is_in_changed_lines(self) -> bool:
        """Whether a changed line made the difference."""
        return self.location == "changed line"

    def as_json(self) -> dict[str, Any]:
        """Return it as `record --since --json` prints it."""
        names = [{**asdict(name), "path": name.path} for name in self.names]
        return {**asdict(self), "names": names}


@dataclass(frozen=True, kw_only=True)
class CallDifference:
    """A call that both revisions make and that ends differently.

    Attributes:
        function: `path/of/module.py:Class.method`.
        arguments: Its arguments after the change, by name.
        was: How it ended before the change: the event (`return` or `raise`) and the value.
        now: The same after the change.
        before: The step that ends it before the change.
        after: The step that ends it after the change.
    """

    function: str
    arguments: Mapping[str, str]
    was: tuple[str, str]
    now: tuple[str, str]
    before: int
    after: int

    @property
    def call(self) -> str:
        """The call with its arguments."""
        arguments = ", ".join(f"{name}={value}" for name, value in self.arguments.items())
        return f"{self.function.rpartition(':')[2]}({arguments})"

    def as_json(self) -> dict[str, Any]:
        """Return it as `record --since --json` prints it."""
        return {**asdict(self), "arguments": dict(self.arguments)}


@dataclass(frozen=True, kw_only=True)
class RevisionDiff:
    """How two traces of one test differ.

    Attributes:
        first: The first difference in behaviour, by time; None if there is none.
        count: The number of differences.
        reached: The first step on either side that executes a changed line, before and after.
        calls: The calls with different results, in the order in which they end.
        pairs: The steps that correspond, as positions before and after.
        differing: The pairs of steps with a difference.
        steps: The number of steps on each side.
        is_cut: Whether a budget ended one of the traces early: what follows is not compared.
        imported: The files whose code outside functions changed. It executes at import, mostly before the test.
    """

    first: RevisionDivergence | None
    count: int
    reached: tuple[StepPlace | None, StepPlace | None]
    calls: tuple[CallDifference, ...]
    pairs: tuple[tuple[int, int], ...]
    differing: frozenset[tuple[int | None, int | None]]
    steps: tuple[int, int]
    is_cut: bool = False
    imported: tuple[str, ...] = ()

    @property
    def diverges(self) -> bool:
        """Whether the behaviour differs."""
        return self.first is not None

    @property
    def steps_after_change(self) -> int | None:
        """The number of steps from the first changed line to the divergence; None without one of them.

        It is negative if they diverge first, which a change of code outside functions can cause.
        """
        if self.first is None:
            return None
        before, after = self.reached
        if after is not None and self.first.after is not None:
            return self.first.after.step - after.step
        if before is not None and self.first.before is not None:
            return self.first.before.step - before.step
        return None

    def rows(self) -> list[tuple[int | None, int | None]]:
        """Return every step of both traces once, those that correspond in one row."""
        rows = list[tuple[int | None, int | None]]()
        i = j = 0
        for before, after in self.pairs:
            # A generator that is resumed elsewhere may have pairs out of order: those steps stand alone.
            if before < i or after < j:
                continue
            rows += [(k, None) for k in range(i, before)]
            rows += [(None, k) for k in range(j, after)]
            rows.append((before, after))
            i, j = before + 1, after + 1
        rows += [(k, None) for k in range(i, self.steps[0])]
        return rows + [(None, k) for k in range(j, self.steps[1])]

    def as_json(self) -> dict[str, Any]:
        """Return it as `record --since --json` prints it, without the pairs of steps."""
        reached = [None if place is None else asdict(place) for place in self.reached]
        return {
            "diverges": self.diverges,
            "first": None if self.first is None else self.first.as_json(),
            "first_changed_line": {"before": reached[0], "after": reached[1]},
            "steps_after_change": self.steps_after_change,
            "differences": self.count,
            "calls": [call.as_json() for call in self.calls],
            "steps": {"before": self.steps[0], "after": self.steps[1]},
            "is_cut": self.is_cut,
            "changed_outside_functions": list(self.imported),
        }
