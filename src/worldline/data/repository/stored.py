"""What a dataset of recorded calls stores besides the calls: one row per test, and one per recorded repository."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import PurePosixPath

from worldline.core.repository.recorded_test import Instance, RecordedTest
from worldline.core.trace import Trace
from worldline.data.mine.mining_source import is_test_file

_TEST_FOLDERS = frozenset({"test", "tests"})


@dataclass(frozen=True, kw_only=True)
class TestRow:
    """One test of a dataset, without its trace.

    Attributes:
        instance_id: `Instance.id`.
        test_id: `RecordedTest.id`.
        outcome: One of `TEST_OUTCOMES`, with the recorder.
        plain: The outcome without the recorder; empty if it was not executed that way.
        message: Why it failed.
        seconds: How long it took with the recorder.
        plain_seconds: How long it took without.
        steps: Steps of its trace; 0 if it has none.
        calls: Calls of the repository's functions in its trace, including those that are not stored.
        notes: What could not be recorded.
        affected: The repository's functions that it stepped into, in the order of their first call.
    """

    # pytest must not collect it.
    __test__ = False

    instance_id: str
    test_id: str
    outcome: str
    plain: str = ""
    message: str = ""
    seconds: float = 0.0
    plain_seconds: float = 0.0
    steps: int = 0
    calls: int = 0
    notes: tuple[str, ...] = ()
    affected: tuple[str, ...] = ()

    @property
    def notices_recorder(self) -> bool:
        """Whether the test ends differently without the recorder, and not by chance."""
        return bool(self.plain) and self.plain != self.outcome and "flaky" not in self.notes


@dataclass(frozen=True, kw_only=True)
class LeftOutFunction:
    """A function that is not in the dataset because it resembles a benchmark's.

    Attributes:
        function: `path/of/module.py:Class.method`.
        other: The benchmark's function.
        share: Share of common token sequences.
        why: `name`, `same` or `within`.
        calls: Calls that were left out.
    """

    function: str
    other: str
    share: float
    why: str
    calls: int = 1


@dataclass(frozen=True, kw_only=True)
class InstanceRow:
    """One recording of a repository, or of some of its test files.

    Attributes:
        instance: The revision, with its licence.
        unit: Identifies what was recorded, so that a resumed run skips it; empty for parts of a recording.
        notes: What holds for the whole recording.
        seconds: How long the tests took with the recorder.
        plain_seconds: How long they took without.
        left_out: Functions that resemble a benchmark's.
    """

    instance: Instance
    unit: str = ""
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    plain_seconds: float = 0.0
    left_out: tuple[LeftOutFunction, ...] = ()


def row_of(test: RecordedTest) -> TestRow:
    """Return the row of a recorded test."""
    functions = count_functions(test.trace)
    return TestRow(
        instance_id=test.instance.id,
        test_id=test.id,
        outcome=test.outcome,
        plain=test.plain,
        message=test.message,
        seconds=test.seconds,
        plain_seconds=test.plain_seconds,
        steps=len(test.trace) if test.trace is not None else 0,
        calls=sum(functions.values()),
        notes=test.notes,
        affected=tuple(functions),
    )


def count_functions(trace: Trace | None) -> Counter[str]:
    """Count the calls of each function of the repository in the trace of a test, in order of first call.

    Functions of tests are not counted (`is_test_code`), nor are modules, lambdas and comprehensions.
    """
    counts = Counter[str]()
    for frame in trace.frames if trace is not None else ():
        is_function = not frame.name.rpartition(".")[2].startswith("<")
        if trace is not None and is_function and not is_test_code(frame.file, trace):
            counts[f"{frame.file}:{frame.name}"] += 1
    return counts


def is_test_code(path: str, trace: Trace) -> bool:
    """Whether a file of the repository holds tests, fixtures or their helpers.

    Args:
        path: The file.
        trace: The trace of the test. Its own file holds tests under any name, unless the test is a doctest.
    """
    file = PurePosixPath(path)
    is_own = path == trace.program.name and trace.program.call is not None
    return is_own or file.name == "conftest.py" or bool(_TEST_FOLDERS.intersection(file.parts)) or is_test_file(file)
