"""A stand-in for `record_tests` that executes nothing: what a repository does is said by its file `behaviour`.

`tests N` has N tests of one function with a call each. `error` cannot be recorded, `fault` is a fault of the tool,
`kill` kills its worker, and `wait` says so and blocks until it is killed, unless the file `go` is beside it.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldline.core.errors import UsageError, WorldlineError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.repository.recorded_test import Instance, RecordedTest
from worldline.core.trace import Columns, Frame, InterpreterInfo, Outcome, Trace

FILE = "lib.py"


@dataclass(frozen=True)
class MadeRecording:
    """A recording of this many tests."""

    instance: Instance
    chosen: tuple[int, ...]
    notes: tuple[str, ...] = ("made",)
    seconds: float = 2.0
    plain_seconds: float = 1.0
    is_collected: bool = False

    def tests(self) -> Iterator[RecordedTest]:
        """Yield the tests; every third ends differently without the recorder."""
        for n in self.chosen:
            outcome = "missing" if self.is_collected else "passed"
            trace = None if self.is_collected else made_trace(n)
            plain = "failed" if n % 3 == 2 else "passed"
            yield RecordedTest(instance=self.instance, id=made_id(n), outcome=outcome, plain=plain, trace=trace)


def made_id(n: int) -> str:
    """The id of the nth test: four tests per file."""
    return f"tests/test_{n // 4}.py::test_{n}"


def made_trace(n: int) -> Trace:
    """A test that calls `f` once. Its path has one of five lengths."""
    length = n % 5
    lines = [(0, 0, 1), (0, 1, 1), *((1, 1, 2 + line) for line in range(length)), (2, 1, 9), (2, 0, 2)]
    columns, texts = Columns(), ["x", str(n), "None"]
    for number, (event, frame, line) in enumerate(lines):
        columns.event.append((0, 1, 2)[event])
        columns.frame.append(frame)
        columns.line.append(line)
        columns.arg.append(2 if event == 2 else 0xFFFFFFFF)
        if number == 1:
            columns.change_name.append(0)
            columns.change_value.append(1)
        columns.change_at.append(len(columns.change_name))
        columns.same_at.append(0)
    columns.texts = texts
    test_file = made_id(n).partition("::")[0]
    return Trace(
        program=Program(
            source=f"def test_{n}():\n    f({n})\n",
            name=test_file,
            call=f"test_{n}()",
            files=((FILE, "def f(x):\n" + "    x\n" * 8),),
        ),
        interpreter=InterpreterInfo("cpython", "3.11.7", "native"),
        limits=Limits(),
        outcome=Outcome("returned", "None"),
        columns=columns,
        frames=[Frame(0, f"test_{n}", test_file, -1, 0), Frame(1, "f", FILE, 0, 1)],
    )


def record_made(
    repository: str, *, tests: Sequence[str] | None, instance: Instance, args: Sequence[str], **_: Any
) -> MadeRecording:
    """Do what the repository says."""
    word, _, number = (Path(repository) / "behaviour").read_text().partition(" ")
    if word == "error":
        raise UsageError("pytest could not be started: no module named 'nothing'")
    if word == "fault":
        raise ZeroDivisionError("by the tool")
    if word == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if word == "wait" and not (Path(repository) / "go").exists():
        print("waiting", flush=True)
        sys.stdin.read()
        raise WorldlineError("nobody killed it")
    chosen = tuple(n for n in range(int(number)) if tests is None or made_id(n) in tests)
    return MadeRecording(instance, chosen, is_collected="--collect-only" in args)
