"""Recorded calls of the small project without its tests being executed: each call is recorded by itself."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from worldline.core.program import Program
from worldline.core.repository.recorded_test import Instance, RecordedCall, RecordedTest
from worldline.data.repository.dataset import CallWriter
from worldline.recording.recorder import record_many

PROJECT = Path(__file__).parent / "project"
INSTANCE = Instance(name="pantry", revision="0123456789abcdef", licence="MIT")
# Module, function, call; a call that is not of the function is made before, as a test would make it.
CALLS = (
    ("amounts", "greatest_divisor", "greatest_divisor(48, 36)"),
    ("amounts", "reduce_fraction", "reduce_fraction(6, 8)"),
    ("amounts", "to_grams", "to_grams(2, 'lb')"),
    ("amounts", "share", "share(10, 3)"),
    ("amounts", "share", "share(0, 1)"),
    ("amounts", "running_totals", "list(running_totals([2, 3, 5]))"),
    ("labels", "slug", "slug('  Olive Oil (1 l) ')"),
    ("labels", "abbreviate", "abbreviate('chickpeas', 6)"),
    ("labels", "count_words", "count_words('salt and salt')"),
    ("labels", "is_palindrome", "is_palindrome('Never odd or even')"),
    ("labels", "is_palindrome", "is_palindrome('oats')"),
    ("plan", "merge_times", "merge_times([(5, 8), (1, 3), (2, 4)])"),
    ("shelf", "missing", "missing({'rice': 2}, {'rice': 3})"),
    ("shelf", "Shelf.heaviest", "Shelf({'rice': 2, 'oats': 2}).heaviest()"),
)


def recorded_calls(calls: Iterable[tuple[str, str, str]] = CALLS) -> list[RecordedCall]:
    """Record calls of the project's functions."""
    chosen = list(calls)
    programs = [_program(module, call) for module, _, call in chosen]
    return [
        RecordedCall(
            instance_id=INSTANCE.id,
            test_id=f"tests/test_{module}.py::test_{number}",
            function=f"src/pantry/{module}.py:{function}",
            trace=trace,
        )
        for number, ((module, function, _), trace) in enumerate(zip(chosen, record_many(programs), strict=True))
    ]


def _program(module: str, call: str) -> Program:
    source = (PROJECT / "src" / "pantry" / f"{module}.py").read_text("utf-8")
    amounts = (PROJECT / "src" / "pantry" / "amounts.py").read_text("utf-8")
    others = (("pantry/__init__.py", ""), ("pantry/amounts.py", amounts)) if module == "shelf" else ()
    return Program(source=source, name=f"{module}.py", call=call, files=others)


def write_dataset(folder: Path, calls: Iterable[RecordedCall]) -> Path:
    """Store calls as `record --pytest` does."""
    with CallWriter(folder, fingerprint={"by": "a test"}) as writer:
        for call in calls:
            writer.add(call)
            writer.add_test(RecordedTest(instance=INSTANCE, id=call.test_id, outcome="passed", trace=call.trace))
    return folder
