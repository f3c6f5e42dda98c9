"""A truth is written down only as far as a prediction of it goes: the same verdicts, for a fraction of the work."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from worldline.codec.cwm import writer as cwm
from worldline.codec.cwm.text import token
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.evaluation.external.scored import score
from worldline.evaluation.run.directory import newest
from worldline.evaluation.run.truth import MARGIN, truth
from worldline.evaluation.score import Verdict, judge
from worldline.evaluation.suites.suite import Task
from worldline.predict.prediction import Prediction
from worldline.recording.recorder import record

LOOP = "def f(n):\n    total = 0\n    for i in range(n):\n        total += i * i\n    return total\n"
ODD = """\
import contextlib

@contextlib.contextmanager
def held(log):
    try:
        yield log
    finally:
        for i in range(9):
            log.append(i)

def gen(n):
    for i in range(n):
        try:
            yield [i * j for j in range(i)]
        except ValueError:
            yield None

def f(n):
    log, found = [], {}
    try:
        with held(log):
            found[n] = 1 // 0
    except ZeroDivisionError:
        found = {k: v for k, v in enumerate(gen(n))}
    it = gen(3)
    next(it)
    it.throw(ValueError)
    return sum(map(len, found.values())), log
"""


@pytest.fixture(scope="module")
def traces() -> dict[str, Trace]:
    return {
        "loop": record(Program(source=LOOP, call="f(40)")),
        "odd": record(Program(source=ODD, call="f(4)")),
        "script": record(Program(source="for i in range(30):\n    print(i)\n")),
    }


@pytest.mark.parametrize("name", ["loop", "odd", "script"])
def test_frames_up_to_a_bound_are_the_first_of_all(traces: dict[str, Trace], name: str) -> None:
    trace = traces[name]
    whole = cwm.encode(trace)
    separator = token("frame_sep")
    given = cwm.prompt(trace.program.source, cwm.entry_line(trace))
    frames = whole.removeprefix(given).removesuffix(token("end_of_text")).split(separator)[:-1]
    for most in range(1, len(frames) + 1):
        assert cwm.encode(trace, most) == given + "".join(frame + separator for frame in frames[:most])
    assert cwm.encode(trace, len(frames) + 1) == whole


def verdicts(task: Task, trace: Trace, found: Prediction) -> tuple[Verdict, Verdict]:
    """As judged by a bounded truth, and by a whole one."""
    true = truth(task, trace)
    assert true is not None
    return judge(task, true, found), judge(task, replace(true, margin=1 << 30), found)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("codec", ["compact", "cwm"])
@pytest.mark.parametrize(
    ("change", "status"),
    [
        (lambda text: text, "budget"),
        (lambda text: text, "ended"),
        (lambda text: text[:-3], "budget"),
        (lambda text: text.replace(b"14", b"15"), "budget"),
        (lambda text: text.replace(b"range(n)", b"range(m)"), "budget"),
        (lambda text: text + b")5\n.\n", "ended"),
        (lambda text: b"", "empty"),
        (lambda text: text * 3, "budget"),
    ],
)
def test_the_verdict_is_that_of_the_whole_truth(codec: str, change: object, status: str) -> None:
    program = Program(source=LOOP, call="f(3000)")
    trace = record(program)
    task = Task(program=program)
    true = truth(task, trace)
    assert true is not None
    end = b"\n" if codec == "compact" else token("frame_sep").encode()
    text = true.text_in(codec)
    begun = end.join(text.split(end)[:31]) + end
    assert callable(change)
    one, other = verdicts(task, trace, Prediction(text=change(begun), status=status, codec=codec))
    same = ("answer", "trace", "type", "agreed", "bytes", "cause", "operation", "failed_type")
    assert [getattr(one, key) for key in same] == [getattr(other, key) for key in same]
    assert abs(one.steps - other.steps) <= 2  # Meta's format leaves some steps out, and they are not counted one by one
    if "missing" in other.note:
        assert one.note.split()[1:] == other.note.split()[1:]


def test_a_record_keeps_no_more_truth_than_was_compared(tmp_path: Path) -> None:
    program = Program(source=LOOP, call="f(3000)")
    given = cwm.prompt(program.source, 1)
    text = cwm.encode(record(program), 12).removeprefix(given)
    path = tmp_path / "outputs.jsonl"
    row = {"id": "a", "code": LOOP, "input": "3000", "generation": text}
    path.write_text(json.dumps(row) + "\n")
    report = score("crux", path, out=tmp_path / "run")
    assert report.all.trace.truncated == 1
    assert list(report.causes) == ["budget, right up to the cut"]
    (kept,) = newest(tmp_path / "run").values()
    assert kept.truth.count(token("frame_sep").encode()) <= 12 + MARGIN + 1
    assert kept.judged["steps"] == 6005
    assert kept.judged["note"].startswith("5,993 steps are missing")


def test_a_run_that_meets_a_limit_is_judged_as_far_as_a_cut_prediction_goes(tmp_path: Path) -> None:
    program = Program(source=LOOP, call="f(3000)")
    text = cwm.encode(record(program), 12).removeprefix(cwm.prompt(program.source, 1))
    path = tmp_path / "outputs.jsonl"
    wrong = text.replace('"1"', '"2"')
    ended = text + f"{token('return_sep')}{token('action_sep')}    return total\n{token('arg_sep')}"
    ended += f'"5"{token("frame_sep")}{token("end_of_text")}'
    rows = [
        {"id": "cut", "code": LOOP, "input": "3000", "generation": text},
        {"id": "wrong", "code": LOOP, "input": "3000", "generation": wrong},
        {"id": "known", "code": LOOP, "input": "3000", "generation": ended, "expected": "5"},
        {"id": "unknown", "code": LOOP, "input": "3000", "generation": ended},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    report = score("crux", path, out=tmp_path / "run", limits=Limits(steps=500))
    assert (report.n, report.skipped) == (3, 1)
    assert report.left_out == {"limit: steps": ("unknown",)}
    told = {record.name: record for record in newest(tmp_path / "run").values()}
    assert told["cut"].judged["cause"] == "budget, right up to the cut"
    assert told["wrong"].judged["cause"] == "budget, wrong before the cut"
    assert (told["known"].judged["answer"], told["known"].judged["trace"]) == ("right", "wrong")
    assert told["unknown"].why == "limit: steps"
    assert "recorded up to a limit" in told["cut"].judged["note"]
