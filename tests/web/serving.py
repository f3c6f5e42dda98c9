"""A real server in a process of its own, for every test that talks to one; and real runs on disk for it to show.

`serving(...)` starts it and gives the address; `make_run` makes a run as `bench` does, of small programs and a
predictor that is wrong about some. Run as a program, this file is the server.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from worldline.core.program import Program
from worldline.evaluation.run.run import run
from worldline.evaluation.suites.suite import Suite, Task
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Capabilities, ModelInfo

TOKEN = "test-token-of-this-server"
SOURCES = (
    ("def f(n):\n    total = 0\n    for i in range(n):\n        total += i\n    return total\n", "f(4)"),
    ("def f(n):\n    if n < 2:\n        return 1\n    return n * f(n - 1)\n", "f(5)"),
    ("def f(words):\n    out = []\n    for w in words:\n        out += [w.upper()]\n    return out\n", "f(['a', 'b'])"),
    (
        "def f(s):\n    count = {}\n"
        "    for c in s:\n        n = count.get(c, 0)\n        count[c] = n + 1\n    return n\n",
        "f('abca')",
    ),
    ("def f(a, b):\n    while b:\n        a, b = b, a % b\n    return a\n", "f(48, 18)"),
    ("def f(x):\n    y = x + 1\n    print(y)\n    return y * 2\n", "f(20)"),
)  # fmt: skip


@dataclass(frozen=True)
class Served:
    """A running server: where it is, what it asks for, and its process."""

    host: str
    port: int
    token: str
    process: subprocess.Popen[str]
    log: Path
    place: str = ""
    """The part of the printed address that opens a single program."""

    @property
    def origin(self) -> str:
        """What a page of it calls its origin."""
        return f"http://{self.host}:{self.port}"

    @property
    def url(self) -> str:
        """What is opened in a browser: the printed address."""
        return f"{self.home}{self.place}"

    @property
    def home(self) -> str:
        """The address of the list of runs."""
        return f"{self.origin}/#token={self.token}"

    def complaints(self) -> str:
        """What the process wrote to its stderr so far."""
        return self.log.read_text()


@contextmanager
def serving(
    *runs: Path,
    models: Sequence[str] = (),
    programs: Sequence[tuple[str, str | None]] = (),
    token: str | None = TOKEN,
    bounds: Mapping[str, Any] | None = None,
    recorded: Sequence[Mapping[str, Any]] = (),
    quiz: Mapping[str, int] | None = None,
) -> Iterator[Served]:
    """A server of some runs, models by scheme, programs as (source, call); `bounds` are fields of its policy.

    `recorded` are fields of programs that are recorded as failing tests, `quiz` options of a quiz about the programs.
    """
    told = {"runs": [str(path) for path in runs], "models": list(models), "programs": list(programs)}
    told |= {"token": token, "bounds": dict(bounds or {}), "recorded": list(recorded)}
    told["quiz"] = None if quiz is None else dict(quiz)
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "stderr"
        with log.open("w") as errors:
            process = subprocess.Popen(
                [sys.executable, __file__, json.dumps(told)], stdout=subprocess.PIPE, stderr=errors, text=True,
                env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            )  # fmt: skip
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            found = re.fullmatch(r"http://([\d.]+):(\d+)/#token=([\w-]+)(\S*)\n", said)
            assert found, f"the server did not start: {said!r} {log.read_text()}"
            yield Served(found[1], int(found[2]), found[3], process, log, found[4])
        finally:
            end(process)


def end(process: subprocess.Popen[str]) -> int:
    """Ctrl-C, and the exit status; a server that does not end is killed and fails the test."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    try:
        return process.wait(120)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise
    finally:
        if process.stdout is not None:
            process.stdout.close()


class Mistaken:
    """Writes what the interpreter does; now and then a value is wrong, and every second time the answer too."""

    def __init__(self, name: str, *, every: int, first: int = 1) -> None:
        self.info, self.capabilities = ModelInfo(name=name), Capabilities()
        self._every, self._count = every, first - 1

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """The truth, more or less."""
        for found in Interpreter().predict(list(asks)):
            self._count += 1
            is_right, answer = self._count % self._every, self._count % (2 * self._every) == 0
            yield found if is_right else replace(found, text=_wrong(found.text, answer=answer))


def _wrong(text: bytes, *, answer: bool) -> bytes:
    """The same steps, with another first digit or letter in a value behind the first call, and in the answer."""
    places = [text.index(b"\n"), *([text.rindex(b"\n)")] if answer else [])]
    for place in places:
        if found := re.search(rb"[=)]['\[{]*([0-9A-Za-z])", text[place:]):
            at = place + found.start(1)
            text = text[:at] + (b"7" if found[1] != b"7" else b"3") + text[at + 1 :]
    return text


def make_run(folder: Path, *, count: int = 12, every: int = 3, first: int = 1, name: str = "mistaken") -> Path:
    """A run of `count` small programs, as `worldline bench --out` leaves it."""
    picked = [SOURCES[n % len(SOURCES)] for n in range(count)]
    programs = [
        Program(source=source + "\n" * (n // len(SOURCES)), call=call) for n, (source, call) in enumerate(picked)
    ]
    tasks = [Task(program=program, name=f"sample {n}") for n, program in enumerate(programs)]
    run(Suite(name="small", tasks=tasks), Mistaken(name, every=every, first=first), out=folder)
    return folder


def _failing(fields: Mapping[str, Any]) -> Any:
    from worldline.core.repository.recorded_test import Instance, RecordedTest
    from worldline.diagnose.failure import explain_failure
    from worldline.recording.recorder import record
    from worldline.ui.session.session import Session

    trace = record(Program(**{**fields, "files": tuple(map(tuple, fields["files"]))}))
    name = f"{trace.program.name}::{(trace.program.call or '').partition('(')[0]}"
    test = RecordedTest(instance=Instance(name="served"), id=name, outcome="failed", trace=trace)
    return Session.of_trace(trace, name=name, failure=explain_failure(test))


def _main(told: dict[str, Any]) -> None:
    from worldline.predict.models import load_model
    from worldline.ui.http.listening import listen
    from worldline.ui.http.policy import policy
    from worldline.ui.session.quiz.quiz import QuizOptions
    from worldline.ui.web.server import address, serve
    from worldline.ui.web.server import run as answer
    from worldline.ui.web.service import Opening, Service

    def loader(scheme: str) -> Any:
        return lambda: load_model(scheme)

    opening = Opening(
        runs=tuple(Path(path) for path in told["runs"]),
        programs=tuple(Program(source=source, call=call) for source, call in told["programs"]),
        models={scheme: loader(scheme) for scheme in told["models"]},
        sessions=tuple(_failing(fields) for fields in told["recorded"]),
        quiz=None if told["quiz"] is None else QuizOptions(**told["quiz"]),
    )
    if not told["bounds"]:
        serve(opening, port=0, token=told["token"], say=lambda text: print(text, flush=True))
        return
    listener = listen("127.0.0.1", 0)
    rules = replace(policy("127.0.0.1", listener.getsockname()[1], told["token"]), **told["bounds"])
    with contextlib.suppress(KeyboardInterrupt):
        answer(Service(opening), rules, listener, lambda: print(address("127.0.0.1", rules), flush=True))


if __name__ == "__main__":
    _main(json.loads(sys.argv[1]))
