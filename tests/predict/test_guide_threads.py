"""Runs with several threads as text: compact text read back and accepted byte by byte, and the other formats whole."""

from __future__ import annotations

import pytest
from thread_programs import DEADLOCK, PROGRAMS
from tiers import examples

from worldline.codec import json_text
from worldline.codec.compact.guide.guide import Guide, ImpossibleByte
from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import Compact, prompt
from worldline.codec.compact.writer import encode, encode_steps
from worldline.codec.cwm import writer as cwm
from worldline.core.hidden import Control
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.state import states
from worldline.core.trace import Hidden, Trace
from worldline.recording.recorder import SandboxWorker, prepare

MODES = [Compact(), Compact(same=True), Compact(delta="element"), Compact(reveal=3), Compact(hidden="blind")]


@pytest.fixture(scope="module")
def traces() -> dict[str, list[Trace]]:
    sandbox = SandboxWorker(prepare(limits=Limits(wall=60), python=None, core="auto", trust=False, controlled=True))
    found = {
        name: [
            sandbox.record(Program(source=source), control=Control(schedule=seed))
            for seed in range(1, examples(1, 3) + 1)
        ]
        for name, source in {**PROGRAMS, "deadlock": DEADLOCK}.items()
    }
    sandbox.close()
    return found


@pytest.mark.sampled(8)
@pytest.mark.fuzz
@pytest.mark.parametrize("name", [*PROGRAMS, "deadlock"])
def test_the_text_of_a_run_with_threads_is_read_back(name: str, traces: dict[str, list[Trace]]) -> None:
    for trace in traces[name]:
        for options in MODES:
            found = parse(encode(trace, options))
            assert found.malformed is None, options
            assert found.ended == (name != "deadlock")
            assert [(frame.parent, frame.depth) for frame in found.frames] == [
                (frame.parent, frame.depth) for frame in trace.frames
            ]
            assert [step.thread for step in found.steps] == [step.thread for step in trace.steps]
        plain = parse(encode(trace, Compact(same=True)))
        assert plain.steps == list(trace.steps)
        assert plain.hidden == trace.hidden


@pytest.mark.sampled(8)
@pytest.mark.fuzz
@pytest.mark.parametrize("name", [*PROGRAMS, "deadlock"])
def test_the_guide_accepts_every_true_byte(name: str, traces: dict[str, list[Trace]]) -> None:
    for trace in traces[name]:
        for options in (Compact(), Compact(reveal=3), Compact(hidden="blind"), Compact(hidden="given")):
            text = encode_steps(trace, options)
            guide = Guide(trace.program, options, guard=True, hidden=trace.hidden)
            for at, byte in enumerate(text):
                try:
                    guide = guide.fork() if at % 97 == 0 else guide
                    guide.feed(byte)
                except ImpossibleByte:
                    pytest.fail(f"{options} {text[max(at - 200, 0) : at]!r} then {text[at : at + 20]!r}")
            assert guide.ended == (name != "deadlock")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_json_and_states_and_cwm_survive_threads(name: str, traces: dict[str, list[Trace]]) -> None:
    for trace in traces[name]:
        again = json_text.parse("".join(json_text.encode(trace)))
        assert list(again.steps) == list(trace.steps)
        assert again.hidden == trace.hidden
        assert len(list(states(trace))) == len(trace)
        assert cwm.encode(trace)


def test_a_thread_line_changes_whose_frames_run() -> None:
    source = "import threading\ndef f():\n    x = 1\n    return x\n"
    start = b"(2\n3 x=1\n4\n%'thread 0 1'=1\n"
    program = Program(source=source, call="f()")
    found = parse(start + b"(2\n3 x=1\n4\n)1\n%'thread 0'=0\n)1\n.\n", prompt(program))
    assert found.malformed is None
    assert [(step.frame, step.thread) for step in found.steps] == [(0, 0)] * 3 + [(1, 1)] * 4 + [(0, 0)]
    assert found.frames[1].parent == -1
    assert found.hidden == (Hidden(3, "thread 0 1", "1"), Hidden(7, "thread 0", "0"))
    assert parse(start + b")1\n", prompt(program)).malformed is not None  # thread 1 has no frame to return from
