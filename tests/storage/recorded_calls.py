"""Recorded tests and calls made by hand, and generated ones, for the tests of datasets of calls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from stored_traces import any_text, any_trace, facts, trace

from worldline.core.repository.recorded_test import TEST_OUTCOMES, Instance, RecordedCall, RecordedTest
from worldline.core.trace import Frame
from worldline.data.repository.dataset import CallWriter
from worldline.storage.remote import Folder

FINGERPRINT: dict[str, Any] = {"recipe": "test"}
LICENCE = "Permission is hereby granted, free of charge ...\n"
INSTANCE = Instance(name="owner/name", revision="0123456789abcdef", licence="MIT", licence_text=LICENCE)


def recorded_call(n: int, part: int = 0, **changes: Any) -> RecordedCall:
    """One call of the nth test."""
    given: dict[str, Any] = {
        "instance_id": INSTANCE.id, "test_id": f"tests/test_a.py::test_{n}", "function": "lib/m.py:f",
        "trace": trace(100 * n + part),
    }  # fmt: skip
    return RecordedCall(**given | changes)


def recorded_test(n: int, **changes: Any) -> RecordedTest:
    """The nth test: it stepped into two functions of `lib/m.py`, into one of them twice."""
    frames = [
        Frame(0, "test", "tests/test_a.py", -1, 0),
        *(Frame(k, "fgf"[k - 1], "lib/m.py", 0, 1) for k in (1, 2, 3)),
    ]
    given: dict[str, Any] = {
        "instance": INSTANCE, "id": f"tests/test_a.py::test_{n}", "outcome": "passed", "plain": "passed",
        "seconds": 0.5, "plain_seconds": 0.25, "trace": trace(10_000 + n, frames=frames),
    }  # fmt: skip
    return RecordedTest(**given | changes)


def add_test(writer: CallWriter, n: int, calls: int = 2) -> None:
    """Add the nth test with its calls."""
    for part in range(calls):
        writer.add(recorded_call(n, part))
    writer.add_test(recorded_test(n))


def store_tests(directory: str | Folder, count: int = 5, *, rows_per_shard: int = 2, **options: Any) -> None:
    """A dataset of this many tests with two calls each."""
    with CallWriter(
        directory, fingerprint=FINGERPRINT, rows_per_shard=rows_per_shard, fsync=False, **options
    ) as writer:
        for n in range(count):
            if not writer.holds_test(INSTANCE.id, recorded_test(n).id):
                add_test(writer, n)


def call_facts(call: RecordedCall) -> tuple[Any, ...]:
    """Everything a call says; only how its texts are numbered is left out."""
    return call.instance_id, call.test_id, call.function, facts(call.trace)


def contents(directory: Path) -> dict[str, bytes]:
    """Every file of a directory."""
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def any_calls(tests: st.SearchStrategy[str]) -> st.SearchStrategy[RecordedCall]:
    """Any call of one of these tests."""
    return st.builds(
        RecordedCall, instance_id=st.just(INSTANCE.id), test_id=tests, function=any_text, trace=any_trace()
    )


def any_tests() -> st.SearchStrategy[RecordedTest]:
    """Any test at all, with or without a trace."""
    return st.builds(
        RecordedTest, instance=st.just(INSTANCE), id=any_text, outcome=st.sampled_from(TEST_OUTCOMES), plain=any_text,
        message=any_text, seconds=st.floats(0, 1e6), plain_seconds=st.floats(0, 1e6), trace=st.none() | any_trace(),
        notes=st.lists(any_text, max_size=2).map(tuple),
    )  # fmt: skip
