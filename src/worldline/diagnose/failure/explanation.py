"""What is known of a failing test: where it failed, the values it compared, and who wrote them. Pure data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from worldline.diagnose.failure.value_keys import keys_of, part_of

#: What a link of a history says about its value: a name was bound or its value changed, a call returned or yielded
#: it, a caller or a fixture passed it, or a condition decided that its line executes.
LINK_KINDS = ("written", "returned", "yielded", "passed", "fixture", "decided")


@dataclass(frozen=True, kw_only=True)
class SourcePlace:
    """A line of the repository that a step executed."""

    step: int
    file: str
    line: int
    function: str
    source: str


@dataclass(frozen=True, kw_only=True)
class OpenCall:
    """A frame that was open when the exception was raised: its place, and its arguments as canonical text."""

    frame: int
    place: SourcePlace
    arguments: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class ValueLink:
    """One link of the history of a value.

    Attributes:
        kind: One of `LINK_KINDS`.
        place: The step.
        name: The name that was written, the function that returned, or the condition that decided.
        before: Its value before, if it had one.
        after: Its value after; None if the trace does not know it.
        part: The part of the value that matters, such as `['a'].size`; empty for the whole value.
        note: What else is known, such as the name through which an object was changed.
        feeds: The number of the link whose value it explains; None for the first.
        is_copy: Whether it only hands on a value that an earlier link produced.
        times: How often the same line wrote the same name, one after the other, up to this step.
    """

    kind: str
    place: SourcePlace
    name: str
    before: str | None = None
    after: str | None = None
    part: str = ""
    note: str = ""
    feeds: int | None = None
    is_copy: bool = False
    times: int = 1

    @property
    def worth(self) -> str | None:
        """The part of the value that matters, after the step; None if the value has no such part."""
        return part_of(self.after, keys_of(self.part))


@dataclass(frozen=True, kw_only=True)
class AssertedValue:
    """A part of the expression that failed, its value, and its history, newest link first.

    Attributes:
        text: Its source.
        value: Its value as canonical text; None if the trace does not know it.
        is_literal: Whether it is written in the source as it is.
        links: At most `MAX_LINKS` links.
        notes: What is not known about it.
    """

    text: str
    value: str | None
    is_literal: bool = False
    links: tuple[ValueLink, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def writer(self) -> ValueLink | None:
        """The link that produced the value: all newer links hand it on. None if no step is known."""
        following = self.links[0] if self.links else None
        while following is not None and following.is_copy:
            number, worth = self.links.index(following), following.worth
            older = [link for link in self.links if link.feeds == number and link.kind != "decided"]
            if not older:
                break
            following = next((link for link in older if link.worth == worth), older[0])
        return following


@dataclass(frozen=True, kw_only=True)
class FailureExplanation:
    """Why a test failed, as far as its trace shows it. `explain_failure` returns it.

    Attributes:
        test_id: pytest's node id.
        outcome: The outcome that pytest reports.
        exception: The exception as canonical text; empty if the trace does not reach it.
        raised: Where it was raised first; None if the trace does not reach it.
        test_line: The line of the test that failed; None if no frame of the test was open.
        statement: The source of the statement that raised.
        path: Where the two compared values differ first, such as `[3]['k']`; empty for the whole value.
        values: The values in that statement, each with its history.
        calls: The frames that were open, innermost first.
        steps: The number of steps up to the exception, or of all steps.
        message: What pytest prints.
        notes: What is not known, in sentences.
    """

    test_id: str
    outcome: str
    exception: str = ""
    raised: SourcePlace | None = None
    test_line: SourcePlace | None = None
    statement: str = ""
    path: str = ""
    values: tuple[AssertedValue, ...] = ()
    calls: tuple[OpenCall, ...] = ()
    steps: int = 0
    message: str = ""
    notes: tuple[str, ...] = ()

    @property
    def writer(self) -> ValueLink | None:
        """The step that wrote the wrong value: that of the first value which is not a literal."""
        writers = (value.writer for value in self.values if not value.is_literal)
        return next((writer for writer in writers if writer is not None), None)

    def as_json(self) -> dict[str, Any]:
        """The object that `debug --pytest --json` prints."""
        values = [{**asdict(value), "writer": _json(value.writer)} for value in self.values]
        return {**asdict(self), "values": values, "writer": _json(self.writer)}


def _json(link: ValueLink | None) -> dict[str, Any] | None:
    return None if link is None else asdict(link)
