"""A prediction may be any bytes: each lands in one column, none is evaluated, values are compared as values."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_predictor import PlainPredictor

from worldline.codec.compact.prompt import Compact
from worldline.core.errors import FormatError, UsageError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.diagnose.diagnosis import cause
from worldline.evaluation.run.directory import newest
from worldline.evaluation.run.record import line, parse
from worldline.evaluation.run.run import run
from worldline.evaluation.run.truth import truth
from worldline.evaluation.score import OUTCOMES, judge
from worldline.evaluation.suites.suite import Suite, Task
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.recording.recorder import record

COUNT = Task(program=Program(source="def f(n):\n    d = {'a': n}\n    d['b'] = 2\n    return d\n", call="f(1)"))
TRUE = b"(1 n=1\n2 d={'a': 1}\n3 d={'a': 1, 'b': 2}\n4\n){'a': 1, 'b': 2}\n.\n"


class Scripted(PlainPredictor):
    """Says what a test wants it to say."""

    name = "scripted"

    def __init__(self, says: Callable[[PredictionRequest], tuple[bytes, str]]) -> None:
        self.says = says

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for ask in asks:
            text, status = self.says(ask)
            yield Prediction(text=text, status=status)


def outcomes(text: bytes, status: str = "ended", task: Task = COUNT) -> tuple[str, str]:
    """The answer's outcome and the trace's, as a run reports them."""
    suite = Suite(name="one", tasks=[task])
    found = run(suite, Scripted(lambda ask: (text, status)))
    assert found.n == 1
    answer, trace = found.all.answer, found.all.trace
    (one,) = [name for name in OUTCOMES if getattr(answer, name)]
    (other,) = [name for name in OUTCOMES if getattr(trace, name)]
    return one, other


def test_the_truth_is_right() -> None:
    assert outcomes(TRUE) == ("right", "right")


@pytest.mark.parametrize(
    ("text", "status", "expected"),
    [
        pytest.param(TRUE.replace(b"2}\n.", b"3}\n."), "ended", ("wrong", "wrong"), id="wrong answer"),
        pytest.param(TRUE.replace(b"n=1", b"n=7"), "ended", ("right", "wrong"), id="right answer, wrong step"),
        pytest.param(TRUE.replace(b"4\n", b"4\n4\n"), "ended", ("right", "wrong"), id="a step too many"),
        pytest.param(TRUE.replace(b"4\n)", b"4)"), "ended", ("right", "wrong"), id="a step too few"),
        pytest.param(TRUE.replace(b"){", b")!{"), "ended", ("wrong", "wrong"), id="raised instead"),
        pytest.param(TRUE[:20], "budget", ("truncated", "truncated"), id="cut in a line"),
        pytest.param(TRUE[:-2], "budget", ("truncated", "truncated"), id="cut before the end"),
        pytest.param(TRUE[:20], "ended", ("malformed", "malformed"), id="given up"),
        pytest.param(b"", "empty", ("malformed", "malformed"), id="empty"),
        pytest.param(b"", "broken", ("malformed", "malformed"), id="broken at once"),
        pytest.param(TRUE[:20], "broken", ("malformed", "malformed"), id="broken on the way"),
        pytest.param(TRUE, "broken", ("malformed", "malformed"), id="broken, whatever is written"),
        pytest.param(b"", "budget", ("malformed", "malformed"), id="nothing is not cut"),
        pytest.param(TRUE + b"5\n", "budget", ("malformed", "malformed"), id="run on after the end"),
        pytest.param(TRUE[:-2] + b"4\n" * 99, "budget", ("malformed", "malformed"), id="run on without an end"),
        pytest.param(TRUE[:7] + b"2\n" * 99, "budget", ("truncated", "truncated"), id="a loop until the budget"),
        pytest.param(TRUE.replace(b"n=1", b"n=1 or True"), "ended", ("malformed", "malformed"), id="code"),
        pytest.param(b"I think that it is 3.\n", "ended", ("malformed", "malformed"), id="talk"),
        pytest.param(b"\xff\xfe\n", "budget", ("malformed", "malformed"), id="no text"),
        pytest.param(TRUE, "budget", ("right", "right"), id="ended with the last byte"),
    ],
)
def test_every_prediction_has_its_column(text: bytes, status: str, expected: tuple[str, str]) -> None:
    assert outcomes(text, status) == expected


def test_values_are_compared_as_values() -> None:
    assert outcomes(TRUE.replace(b"{'a': 1, 'b': 2}", b"{'b': 2, 'a': 1}")) == ("right", "right")
    assert outcomes(TRUE.replace(b"{'a': 1, 'b': 2}\n.", b"{'a': True, 'b': 2}\n.")) == ("wrong", "wrong")


def test_an_exception_is_an_answer() -> None:
    task = Task(program=Program(source="def f():\n    return 1 // 0\n", call="f()"))
    true = b"(1\n2\n)!ZeroDivisionError('integer division or modulo by zero')\n.\n"
    assert outcomes(true, task=task) == ("right", "right")
    assert outcomes(true.replace(b"ZeroDivision", b"Value"), task=task) == ("wrong", "wrong")
    assert outcomes(b"(1\n2\n)0\n.\n", task=task) == ("wrong", "wrong")


def test_the_answer_of_a_script_is_what_it_printed() -> None:
    task = Task(program=Program(source="x = 2\nprint(x)\n"))
    trace = record(task.program)
    true = truth(task, trace)
    assert true is not None
    assert true.answer.type == "output"
    assert outcomes(true.text, task=task) == ("right", "right")
    assert outcomes(true.text.replace(b":'2", b":'3"), task=task) == ("wrong", "wrong")


def test_between_reveals_only_actions_are_compared() -> None:
    task = Task(program=COUNT.program, options=Compact(reveal=100))
    assert outcomes(b"(1\n2\n3\n4\n){'a': 1, 'b': 2}\n.\n", task=task) == ("right", "right")
    assert outcomes(b"(1\n2\n3\n4\n){'a': 1, 'b': 3}\n.\n", task=task) == ("wrong", "wrong")
    assert outcomes(b"(1\n2\n4\n){'a': 1, 'b': 2}\n.\n", task=task) == ("right", "wrong")
    assert outcomes(TRUE, task=task) == ("malformed", "malformed")


def test_an_answer_that_the_benchmark_gives_must_be_the_run_s() -> None:
    agreed, other = (Task(program=COUNT.program, answer=each) for each in ("{'b': 2, 'a': 1}", "{'a': 5}"))
    assert outcomes(TRUE, task=agreed) == ("right", "right")
    assert outcomes(TRUE.replace(b"{'a': 1, 'b': 2}\n.", b"{'a': 5}\n."), task=agreed) == ("wrong", "wrong")
    raised = Task(program=Program(source="def f():\n    return 1 // 0\n", call="f()"), answer="1")
    asked = Scripted(lambda ask: (TRUE, "ended"))
    found = run(Suite(name="three", tasks=[other, agreed, raised]), asked, limit=1)
    assert (found.n, found.disagrees, found.skipped, found.all.answer.right) == (1, 1, 0, 1)
    assert run(Suite(name="three", tasks=[other, agreed, raised]), asked).disagrees == 2


def test_faults_and_tasks_without_an_answer_are_in_no_rate() -> None:
    silent = Task(program=Program(source="x = 1\n"))
    endless = Task(program=Program(source="def f():\n    while True:\n        x = 1\n", call="f()"))
    suite = Suite(name="three", tasks=[silent, COUNT, endless, COUNT], limits=Limits(steps=99))
    answers = iter([(b"", "fault"), (TRUE, "ended")])
    found = run(suite, Scripted(lambda ask: next(answers)))
    assert (found.n, found.skipped, found.faults, found.all.answer.right) == (1, 2, 1, 1)


def test_the_budget_follows_the_truth_and_the_number_of_asks_is_bounded() -> None:
    seen: list[PredictionRequest] = []

    def says(ask: PredictionRequest) -> tuple[bytes, str]:
        seen.append(ask)
        return b"", "empty"

    run(Suite(name="many", tasks=iter([COUNT] * 9)), Scripted(says), limit=5, batch=2)
    assert [ask.limit for ask in seen] == [2 * len(TRUE) + 512] * 5
    with pytest.raises(UsageError):
        run(Suite(name="none", tasks=[]), Scripted(says), limit=0)


def test_every_verdict_says_how_far_it_was_right() -> None:
    heard: list[int] = []
    text = TRUE.replace(b"3 d={'a': 1, 'b': 2}", b"3 d={'a': 1, 'b': 9}")
    run(
        Suite(name="one", tasks=[COUNT]),
        Scripted(lambda ask: (text, "ended")),
        on_verdict=lambda v: heard.append(v.agreed),
    )
    assert heard == [2]


def test_a_record_says_what_its_failure_is_about(tmp_path: Path) -> None:
    texts = iter([TRUE.replace(b"3 d={'a': 1, 'b': 2}", b"3 d={'a': 1, 'b': 9}"), TRUE])
    run(Suite(name="two", tasks=[COUNT, COUNT]), Scripted(lambda ask: (next(texts), "ended")), out=tmp_path / "run")
    wrong, right = newest(tmp_path / "run").values()
    why = cause(wrong.sample())
    assert (wrong.operation, wrong.failed_type) == (why.operation, why.type)
    assert wrong.failed_type == "dict"
    assert wrong.about() == replace(wrong, operation=None, failed_type=None).about()
    assert (right.operation, right.failed_type, right.about()) == (None, None, ("", ""))
    assert parse(line(wrong)) == wrong
    row = json.loads(line(wrong))
    assert row["operation"] == why.operation
    assert not {"operation", "failed_type"} & {*row["verdict"], *json.loads(line(right))}
    with pytest.raises(FormatError):
        parse(json.dumps({**row, "operation": [1]}).encode())


TRUTH = truth(COUNT, record(COUNT.program))


@given(st.one_of(st.binary(), st.text(alphabet="(1n=2d{}'a:b, )4.\n!", max_size=60).map(str.encode)))
def test_judging_is_total(noise: bytes) -> None:
    assert TRUTH is not None
    for text in (noise, TRUE[: len(noise)] + noise):
        for status in ("ended", "budget", "empty", "broken"):
            verdict = judge(COUNT, TRUTH, Prediction(text=text, status=status))
            assert {verdict.answer, verdict.trace} <= set(OUTCOMES)
            assert verdict.answer not in ("right", "wrong") or (b"\n" + text).endswith(b"\n.\n")
            assert verdict.agreed <= verdict.steps
