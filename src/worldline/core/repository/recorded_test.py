"""The tests of a repository as they were recorded, and the calls in them. Pure data; nothing here executes a test.

An *instance* is one revision of a repository. A *recorded test* has the outcome that pytest reports and one trace,
which starts with the fixtures and ends with their teardown. A *recorded call* is the part of such a trace that
belongs to one call of a function of the repository.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from worldline.core.trace import Trace

#: `timeout`, `crashed` and `missing` (never reached) are worldline's own; the others are pytest's.
TEST_OUTCOMES = ("passed", "failed", "error", "skipped", "xfailed", "xpassed", "timeout", "crashed", "missing")
FAILING_OUTCOMES = frozenset({"failed", "error", "timeout", "crashed"})


@dataclass(frozen=True, kw_only=True)
class Instance:
    """One revision of a repository, with its licence.

    Attributes:
        name: `owner/name`, or the name of its folder.
        revision: Commit; `+` and a digest of the files if there are changes or no version control.
        licence: SPDX identifier; empty if it is not recognised.
        licence_text: The text of its licence file.
    """

    name: str
    revision: str = ""
    licence: str = ""
    licence_text: str = ""

    @property
    def id(self) -> str:
        """`name@revision`, or the name alone."""
        return f"{self.name}@{self.revision[:12]}" if self.revision else self.name


@dataclass(frozen=True, kw_only=True)
class RecordedTest:
    """One test: its outcome with and without the recorder, and its trace.

    Attributes:
        instance: The revision it belongs to.
        id: pytest's node id, such as `tests/test_amounts.py::test_fraction[six]`.
        outcome: One of `TEST_OUTCOMES`, with the recorder.
        plain: The outcome without the recorder; empty if it was not executed that way.
        message: Why it failed, as pytest prints it.
        seconds: How long it took with the recorder.
        plain_seconds: How long it took without.
        trace: Its steps; None if it has none. `trace.program` is the test's file with the files it stepped into,
            and `trace.outcome` is `limit` if the budget ended the recording before the test ended.
        notes: What could not be recorded: `threads`, `processes`, `flaky`, `tampered` ...
    """

    instance: Instance
    id: str
    outcome: str
    plain: str = ""
    message: str = ""
    seconds: float = 0.0
    plain_seconds: float = 0.0
    trace: Trace | None = None
    notes: tuple[str, ...] = ()

    @property
    def has_failed(self) -> bool:
        """Whether the test failed with the recorder."""
        return self.outcome in FAILING_OUTCOMES

    @property
    def notices_recorder(self) -> bool:
        """Whether the test ends differently without the recorder, and not by chance."""
        return bool(self.plain) and self.plain != self.outcome and "flaky" not in self.notes

    def as_json(self) -> dict[str, Any]:
        """The test without its steps."""
        return {
            "id": self.id,
            "outcome": self.outcome,
            "plain": self.plain,
            "message": self.message,
            "seconds": self.seconds,
            "plain_seconds": self.plain_seconds,
            "steps": 0 if self.trace is None else len(self.trace),
            "frames": 0 if self.trace is None else len(self.trace.frames),
            "notes": list(self.notes),
        }


def failure_line(message: str) -> str:
    """Return the line of a failure's message that says most: what pytest marks as the error, else the last line."""
    lines = [line for line in message.splitlines() if line.strip()]
    marked = [line[1:].strip() for line in lines if line.startswith("E ")]
    # The place of a syntax error stands above its name.
    is_place_first = bool(marked) and marked[0].startswith("File ")
    return marked[-1 if is_place_first else 0] if marked else "".join(lines[-1:]).strip()


@dataclass(frozen=True, kw_only=True)
class RecordedCall:
    """One call of a function of the repository, cut out of the trace of a test.

    Attributes:
        instance_id: `Instance.id`.
        test_id: `RecordedTest.id`.
        function: `path/of/module.py:Class.method`, relative to the repository.
        trace: The steps of the call and of what it calls. `trace.program.call` is the call with its arguments as
            canonical text, `trace.program.source` its module, `trace.outcome` the result.
    """

    instance_id: str
    test_id: str
    function: str
    trace: Trace

    @property
    def call(self) -> str:
        """The call with its arguments."""
        return self.trace.program.call or ""
