"""Each program under python/, recorded and compared with its plain run and with the facts in its header.

Unperturbed means: same standard output, same exit status, and the outcome that the header states. Programs
whose bytes no text file can hold well are in `hostile_sources`. Programs marked `# perturbed:` must differ.
"""

from __future__ import annotations

import faulthandler
import os
import re
import shutil
import signal
import sys
from collections import deque
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import hostile_facts
import hostile_header
import hostile_plain
import hostile_sources
import pytest

from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Outcome, Trace
from worldline.recording.collect import decode
from worldline.recording.recorder import record_many

HERE = Path(__file__).parent
LIMITS_PAGE = HERE.parents[1] / "docs" / "reference" / "limits.md"
PROGRAMS = sorted((HERE / "python").glob("*.py"))
HEADERS = {path.stem: hostile_header.load(path) for path in PROGRAMS}
VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
OTHERS = [version for version in ("3.11", "3.12", "3.13") if version != VERSION]
CORES = ("native", "python")
HANG = 600.0


@pytest.fixture(autouse=True)
def _no_hang() -> Iterator[None]:
    """A recording that hangs ends this process loudly, with a traceback, instead of hanging the suite."""
    faulthandler.dump_traceback_later(HANG, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


@cache
def interpreter(version: str) -> str | None:
    """An interpreter of another version: a pyenv one, or what PATH has."""
    found = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    return str(found[-1]) if found else shutil.which(f"python{version}")


@cache
def bench(limits: Limits, python: str, core: str, twice: bool) -> tuple[deque[Program], Iterator[Trace]]:
    """A box that stays warm between tests: programs go in on the left, their traces come out on the right.

    What one hostile program does to the box is therefore seen by the next ones too, which is the point.
    """
    feed: deque[Program] = deque()
    programs = iter(feed.popleft, None)
    return feed, iter(record_many(programs, limits=limits, python=python, core=core, twice=twice))


def record(program: Program, limits: Limits, python: str, core: str, *, twice: bool = False) -> Trace:
    """One recording in a warm box."""
    feed, traces = bench(limits, python, core, twice)
    feed.append(program)
    return next(traces)


@pytest.mark.sampled(45)
@pytest.mark.parametrize(
    ("name", "core"),
    [
        (name, core)
        for name, header in HEADERS.items()
        for core in CORES
        if header.runs_on(VERSION) and header.runs_in(core)
    ],
)
def test_hostile_program(name: str, core: str) -> None:
    check(name, VERSION, sys.executable, core)


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize(
    ("name", "version"),
    [(name, version) for version in OTHERS for name, header in HEADERS.items() if header.also_on(version)],
)
def test_hostile_program_on_another_interpreter(name: str, version: str, core: str) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"no Python {version} on this machine")
    check(name, version, python, core)


@pytest.mark.sampled(16)
@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("case", hostile_sources.CASES, ids=lambda case: case.name)
def test_hostile_source(case: hostile_sources.Case, core: str) -> None:
    if case.header.value("outcome", VERSION, core) == "usage":
        with pytest.raises(UsageError):
            decode(case.data, "source.py")
        return
    program = Program(source=decode(case.data, "source.py"), name="source.py")
    trace = record(program, case.header.limits, sys.executable, core)
    found = judge(case.header, trace, VERSION, core)
    if trace.outcome.kind != "unsupported":
        plain = hostile_plain.run(case.data, "source.py", "")
        found += differences(trace, plain)
    assert not found, report(trace, found)


def check(name: str, version: str, python: str, core: str) -> None:
    """Record one program, and hold it against its header and its plain run."""
    header, path = HEADERS[name], HERE / "python" / f"{name}.py"
    source = path.read_bytes()
    program = Program(source=source.decode("utf-8"), name=path.name, stdin=header.stdin)
    twice = header.value("twice", version, core)
    trace = record(program, header.limits, python, core, twice=twice is not None)
    found = [] if twice is None or (twice == "same") != ("nondeterministic" in trace.notes) else [f"not {twice}"]
    found += judge(header, trace, version, core)
    found += [f"left behind: {mark}" for mark in header.values("leaves-no", version, core) if running(mark)]
    if header.value("plain", version, core) is None:
        differ = differences(trace, hostile_plain.run(source, path.name, header.stdin, python))
        if header.value("perturbed", version, core) is None:
            found += differ
        elif not differ:
            found.append("marked as perturbed, but recorded and plain are alike")
    assert not found, report(trace, found)


def judge(header: hostile_header.Header, trace: Trace, version: str, core: str) -> list[str]:
    """Complaints about a trace alone: its outcome, its facts, its shape."""
    found = hostile_facts.misshapen(trace) + hostile_facts.complaints(header, trace, version, core)
    stated = header.value("outcome", version, core) or ""
    if not outcome_is(trace.outcome, stated):
        found.insert(0, f"outcome is {trace.outcome}, not {stated}")
    if not len(trace) and not header.values("steps", version, core):
        found.append("the trace is empty")
    if trace.interpreter.core != core or not trace.interpreter.version.startswith(version):
        found.append(f"recorded by {trace.interpreter}")
    return found


def outcome_is(outcome: Outcome, stated: str) -> bool:
    """Whether an outcome is the stated one: kind, and detail up to its first bracket or colon where one is stated."""
    kind, _, detail = stated.partition(" ")
    if outcome.kind != kind:
        return False
    return not detail or detail == re.split(r"[(:]", outcome.detail)[0]


def differences(trace: Trace, plain: hostile_plain.Plain) -> list[str]:
    """How recorded and plain run differ: standard output and exit status."""
    found = []
    stdout = plain.stdout.decode("utf-8", "backslashreplace")
    if trace.output != stdout:
        found.append(f"stdout recorded {trace.output[-300:]!r}, plain {stdout[-300:]!r}")
    status = exit_status(trace.outcome)
    if status is not None and status != plain.status:
        found.append(f"exit status recorded {status}, plain {plain.status}: {plain.stderr[-300:]!r}")
    return found


def exit_status(outcome: Outcome) -> int | None:
    """The exit status of a plain run with this outcome; None where the outcome is the recorder's own."""
    if outcome.kind == "returned":
        return 0
    if outcome.kind == "raised":
        return -signal.SIGINT if outcome.detail.startswith("KeyboardInterrupt(") else 1
    if outcome.kind == "exited":
        return int(outcome.detail)
    if outcome.kind == "killed":
        return -signal.Signals[outcome.detail].value
    return None


def running(mark: str) -> bool:
    """Whether a process with this argv[0] lives anywhere on the machine."""
    for entry in os.scandir("/proc"):
        try:
            if entry.name.isdigit() and Path(entry.path, "cmdline").read_bytes().startswith(mark.encode()):
                return True
        except OSError:
            continue
    return False


def report(trace: Trace, found: list[str]) -> str:
    """Complaints with what helps to judge them."""
    last = [step.as_json() for step in (trace[i] for i in range(max(0, len(trace) - 3), len(trace)))]
    return "\n".join([*found, f"outcome: {trace.outcome}", f"last steps: {str(last)[:900]}", trace.stderr[-600:]])


def test_there_are_enough_programs_with_facts() -> None:
    facts = sum(any(header.marked(key) for key in hostile_facts.CHECKS) for header in HEADERS.values())
    assert len(HEADERS) >= 85
    assert facts * 2 >= len(HEADERS)


def test_every_item_of_the_list_has_a_program() -> None:
    items = {int(line.value) for header in HEADERS.values() for line in header.lines if line.key == "item"}
    assert {*range(1, 44), 52} <= items


@pytest.mark.parametrize("core", CORES)
def test_nearly_all_programs_are_unperturbed_and_the_others_are_documented(core: str) -> None:
    """Each unmarked program is proved alike, each marked one different, by its test; this is their share."""
    compared = [header for header in HEADERS.values() if not header.marked("plain")]
    marked = [header for header in compared if header.value("perturbed", VERSION, core)]
    # The readable core's own calls and snapshots are in the program.
    allowed = {"native": 0.03, "python": 0.05}
    assert len(marked) <= allowed[core] * len(compared)
    page = LIMITS_PAGE.read_text(encoding="utf-8")
    listed = [name for name, header in HEADERS.items() if header.marked("perturbed")]
    assert [name for name in listed if f"{name}.py" not in page] == []


def test_the_page_counts_the_programs_as_they_are() -> None:
    """The figures of docs/reference/limits.md, which are of 3.11."""
    said: list[int] = []
    for core in CORES:
        run = [header for header in HEADERS.values() if header.runs_on("3.11") and header.runs_in(core)]
        compared = [header for header in run if not header.marked("plain")]
        alike = [header for header in compared if not header.value("perturbed", "3.11", core)]
        outcomes = [header.value("outcome", "3.11", core) or "" for header in alike]
        said += [len(alike), len(compared), sum(outcome.startswith("tampered") for outcome in outcomes)]
    page = " ".join(LIMITS_PAGE.read_text(encoding="utf-8").split())
    native, of_native, tampered, readable, of_readable, tampered_readable = said
    assert f"On 3.11, of the {of_native} programs that are compared with a plain run, {native} print" in page
    assert f"{readable} of {of_readable} ({readable / of_readable:.1%}".replace("%", " %") in page
    assert f"{tampered} of those {native} and {tampered_readable} of those {readable} attack" in page
