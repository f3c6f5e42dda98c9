"""One contract for every guest: the same small programs in each language, recorded in the real box, end alike."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from worldline.analyze.flow.table import read_table
from worldline.codec.compact.parse import parse
from worldline.codec.compact.writer import encode
from worldline.core.language import usual_name
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Outcome, Trace
from worldline.core.value import Malformed
from worldline.core.value import parse as value_of
from worldline.recording.languages import artefact, toolchain
from worldline.recording.recorder import SandboxWorker, flow_of, prepare, record

pytestmark = pytest.mark.usefixtures("sandbox")
GUESTS = ("python/native", "python/python", "js", "ts", "java", "c", "cpp", "rust", "go")
MEMORY = 512 << 20
SIGNALS = ("c", "cpp", "rust")  # whose failures are signals or exit codes, not exceptions
NAMES = {"java": "Main.java"}


@dataclass
class Guest:
    """One guest, the programs of its language by name, and a worker for them all."""

    language: str
    core: str
    programs: dict[str, str]
    worker: SandboxWorker

    def program(self, name: str, **more: Any) -> Program:
        named = NAMES.get(self.language, usual_name(self.language))
        return Program(source=self.programs[name], name=named, **more)

    def record(self, name: str, limits: Limits | None = None, **more: Any) -> Trace:
        program = self.program(name, **more)
        if limits is None:
            return self.worker.record(program)
        if self.language != "python":
            self.worker.in_language(self.language).flow(program)  # prepared, in the box that is warm
        with opened(limits, self.core) as worker:
            return worker.record(program)


@contextmanager
def opened(limits: Limits, core: str) -> Iterator[SandboxWorker]:
    worker = SandboxWorker(prepare(limits=limits, python=None, core=core, trust=False))
    try:
        yield worker
    finally:
        worker.close()


@pytest.fixture(scope="module", params=GUESTS)
def guest(request: pytest.FixtureRequest) -> Iterator[Guest]:
    language, _, core = request.param.partition("/")
    found = toolchain.find(language) if language != "python" else None
    if isinstance(found, str):
        pytest.skip(found)
    text = (Path(__file__).parent / "programs" / f"{language}.txt").read_text()
    pieces = re.split(r"^=== (\w+)\n", text, flags=re.MULTILINE)[1:]
    programs = dict(zip(pieces[::2], pieces[1::2], strict=True))
    with opened(Limits(wall=120), core or "auto") as worker:
        yield Guest(language, core or "auto", programs, worker)


def by(guest: Guest, table: dict[str, tuple[str, str]]) -> Outcome:
    """What a table says of this guest's language; its first row is for all that it does not name."""
    return Outcome(*table.get(guest.language, table["*"]))


def ends(trace: Trace) -> Outcome:
    """The outcome of a trace whose wire was whole and whose values are canonical."""
    assert trace.outcome.kind not in ("tampered", "host-fault"), (trace.outcome, trace.stderr)
    assert not [text for text in told(trace) if isinstance(value_of(text), Malformed)]
    return trace.outcome


def told(trace: Trace) -> set[str]:
    """Every value that a trace tells."""
    found = {value for step in trace.steps for value in step.delta.values()}
    return found | {step.arg for step in trace.steps if step.arg is not None}


def test_a_script_runs_to_its_end(guest: Guest) -> None:
    trace = guest.record("returns")
    assert ends(trace) == Outcome("returned")
    assert trace.output == "10\n"
    assert [step.delta["total"] for step in trace.steps if "total" in step.delta] == ["0", "1", "3", "6", "10"]
    assert [step.arg for step in trace.steps if step.event == "output"] == [r"'10\n'"]
    assert trace.frames[0].file == trace.program.name
    known = toolchain.KINDS.get(guest.language)
    assert known is None or (trace.interpreter.name, trace.interpreter.core) == (known.name, known.core)
    assert re.match(r"\d+\.\d+", trace.interpreter.version)


def test_it_is_the_same_again_and_through_the_codec(guest: Guest) -> None:
    first, second = guest.record("returns"), guest.record("returns", Limits(wall=120))  # in a box of its own
    assert (first.columns, list(first.frames), first.output) == (second.columns, list(second.frames), second.output)
    found = parse(encode(first))
    assert found.malformed is None
    told = [(step.event, step.frame, step.line, step.delta, step.gone, step.arg) for step in first.steps]
    assert [(step.event, step.frame, step.line, step.delta, step.gone, step.arg) for step in found.steps] == told


def test_stdin_and_arguments(guest: Guest) -> None:
    trace = guest.record("echoes", stdin="ab\n", argv=("cd",))
    assert (ends(trace), trace.output) == (Outcome("returned"), "abcd\n")


def test_an_exit_code(guest: Guest) -> None:
    trace = guest.record("exits")
    assert (ends(trace), trace.output) == (Outcome("exited", "3"), "before\n")


def test_a_failure_that_nobody_handles(guest: Guest) -> None:
    wanted = {
        "*": ("killed", "SIGABRT"), "python": ("raised", "ValueError(7)"), "rust": ("exited", "101"),
        "js": ("raised", "RangeError('7')"), "ts": ("raised", "RangeError('7')"),
        "java": ("raised", "IllegalStateException('7')"), "go": ("raised", "'7'"),
    }  # fmt: skip
    trace = guest.record("fails")
    assert ends(trace) == by(guest, wanted)
    assert "x" in {name for step in trace.steps for name in step.delta}  # the steps before it are there


def test_a_sudden_death_keeps_the_steps(guest: Guest) -> None:
    wanted = {"*": ("killed", "SIGKILL"), "java": ("exited", "9"), "rust": ("killed", "SIGABRT")}
    trace = guest.record("dies")
    assert ends(trace) == by(guest, wanted)
    assert "1" in [step.delta.get("x") for step in trace.steps]


def test_steps_are_bounded(guest: Guest) -> None:
    trace = guest.record("loops", Limits(steps=1_000, wall=120))
    assert ends(trace) == Outcome("limit", "steps")
    assert len(trace) == 1_000


def test_time_is_bounded(guest: Guest) -> None:
    trace = guest.record("waits", Limits(wall=1))
    assert ends(trace) == Outcome("limit", "time")


def test_output_is_bounded(guest: Guest) -> None:
    trace = guest.record("prints", Limits(wall=120, output=10_000))
    assert ends(trace) == Outcome("limit", "output")
    assert len(trace.output) <= 10_000


@pytest.mark.sampled(3)
def test_memory_is_bounded(guest: Guest) -> None:
    trace = guest.record("grows", Limits(wall=120, memory=MEMORY))
    assert ends(trace) == Outcome("limit", "memory")
    assert len(trace) > 2


@pytest.mark.sampled(3)
def test_the_trace_is_bounded(guest: Guest) -> None:
    # A larger budget takes minutes in the readable core: of a list that grows, only the new elements are written.
    trace = guest.record("writes", Limits(wall=120, trace_bytes=1 << 17))
    assert ends(trace) == Outcome("limit", "bytes")


def test_a_value_is_bounded(guest: Guest) -> None:
    trace = guest.record("long", Limits(wall=120, value_bytes=1_000))
    assert ends(trace) == Outcome("returned")
    assert "...<str 1024>" in told(trace)
    assert trace.output == "8192\n"


@pytest.mark.sampled(3)
def test_recursion_without_end(guest: Guest) -> None:
    wanted = {
        "*": "killed SIGSEGV", "rust": "killed SIGABRT", "python": "raised RecursionError(",
        "java": "raised StackOverflowError(", "go": "exited 2", "js": "raised RangeError(", "ts": "raised RangeError(",
    }  # fmt: skip
    trace = guest.record("deep", Limits(wall=120, steps=10_000_000))
    if guest.core == "python":  # whose own calls need levels of the same limit: docs/reference/limits.md
        assert trace.outcome.kind == "tampered"
        return
    outcome = ends(trace)
    assert f"{outcome.kind} {outcome.detail}".startswith(wanted.get(guest.language, wanted["*"]))
    assert len(trace.frames) > 900


def test_a_family_ends_with_its_program(guest: Guest) -> None:
    trace = guest.record("family")
    assert (ends(trace), trace.output) == (Outcome("returned"), "done\n")


def test_who_shares_an_object_is_told(guest: Guest) -> None:
    trace = guest.record("shares")
    assert ends(trace) == Outcome("returned")
    assert {"b": "a"} in [step.same for step in trace.steps]


def test_a_call(guest: Guest) -> None:
    trace = guest.record("called", call="f([1, 2], 'ab')")
    assert ends(trace) == Outcome("returned", "6")
    first = trace[0]
    assert (first.event, trace.frames[0].name.split(".")[-1]) == ("call", "f")
    assert set(first.delta) == {"xs", "s"}
    assert first.delta["s"] == "'ab'"
    assert "[1, 2]" in first.delta["xs"]
    assert trace[len(trace) - 1].event == "return"


def test_a_source_that_does_not_compile(guest: Guest) -> None:
    trace = guest.record("broken")
    assert trace.outcome.kind == "unsupported"
    assert trace.outcome.detail.startswith("source: ")
    assert "1" in trace.outcome.detail or "2" in trace.outcome.detail  # the line
    assert trace.stderr


@pytest.mark.sampled(3)
def test_what_was_prepared_is_kept(guest: Guest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = toolchain.KINDS.get(guest.language)
    if kind is None or not kind.prepares:
        pytest.skip("nothing is prepared")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with opened(Limits(wall=120), "auto") as worker:
        first = worker.record(guest.program("returns"))
        assert len(list(artefact.folder().iterdir())) >= 1
        inside = worker.in_language(guest.language)
        inside.close()
        second = worker.record(guest.program("returns"))
        assert "prepare" not in inside._sandboxes  # no box was needed for it
        assert first.columns == second.columns


def test_the_control_flow_is_told_before_a_run(guest: Guest) -> None:
    """That no recorded step leaves it is tested in tests/languages/test_codecs.py."""
    if guest.language == "python":
        pytest.skip("its control flow is read off the source")
    program = guest.program("called", call="f([1, 2], 'ab')")
    flow = flow_of(program)
    assert flow is not None
    (called,) = (one for one in read_table(flow, program).flows if one.name.split(".")[-1] == "f")
    assert called.start
    assert called.returns
    assert {"xs", "s", "total"} <= called.names.visible


def test_a_toolchain_that_is_missing_is_named(guest: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = toolchain.KINDS.get(guest.language)
    if kind is None:
        pytest.skip("worldline runs in it")
    monkeypatch.setenv("PATH", "/nowhere")
    toolchain.find.cache_clear()
    try:
        outcome = record(guest.program("returns"), trust=True).outcome
    finally:
        monkeypatch.undo()
        toolchain.find.cache_clear()
    assert outcome.kind == "unsupported"
    assert outcome.detail.startswith(f"toolchain: no {kind.commands[0]}")
    assert kind.packages in outcome.detail
