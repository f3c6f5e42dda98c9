"""Dynamic depth: a value that a model is unsure of is predicted again in smaller steps; the rest follows from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import pytest

from worldline.analyze.rewrite import rewrite_program
from worldline.codec.compact.parse import parse
from worldline.core.program import Program
from worldline.core.state import State
from worldline.evaluation import suites
from worldline.predict.confidence import step_confidences
from worldline.predict.depth import DepthBudget, deepen
from worldline.predict.forcing.forced_rollout import ForcedRollout
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import PredictionRequest
from worldline.predict.statement import statement_programs, statements_by_line

SOURCE = "def f(s, n):\n    a = n + 1\n    b = s[n:]\n    c = b + 'x'\n    return c.upper()\n"
REQUEST = PredictionRequest(program=Program(source=SOURCE, call="f('abcdef', 2)", name="prog.py"))

pytestmark = pytest.mark.usefixtures("sandbox")


@dataclass
class Doubtful:
    """The interpreter, but it misreads a piece of the program's text; its doubts are by the text of a program."""

    old: bytes = b""
    new: bytes = b""
    alone: float = 0.0  # the log-probability of a statement alone
    deeper: float = 0.0  # and of one with loops
    requests: list[PredictionRequest] = field(default_factory=list)

    def roll(self, requests: Sequence[PredictionRequest], /) -> Iterator[ForcedRollout]:
        self.requests += requests
        for request in requests:
            whole = replace(request, given=b"")
            (truth,) = Interpreter().predict([whole])
            is_own, text = request.program == REQUEST.program, truth.text
            if is_own and not request.given:
                text = text.replace(self.old, self.new, 1)
            doubts = [0.0] * len(text)
            if not is_own:
                doubts[0] = self.deeper if "for " in request.program.source else self.alone
            elif not request.given:
                doubts[text.index(self.new) + 2] = -0.5
            prediction = replace(truth, text=text, logprob=sum(doubts))
            yield ForcedRollout(
                prediction=prediction, force="free", sure=tuple(step_confidences(whole, prediction, doubts))
            )


def deepened(model: Doubtful, **budget: int) -> ForcedRollout:
    (rolled,) = deepen(model.roll, [REQUEST], list(model.roll([REQUEST])), DepthBudget(**budget))
    return rolled


def truth() -> bytes:
    (prediction,) = Interpreter().predict([REQUEST])
    return prediction.text


def test_an_unsure_value_is_corrected_and_the_rest_follows() -> None:
    model = Doubtful(b"b='cdef'", b"b='def'")
    rolled = deepened(model)
    assert rolled.prediction.text == truth()
    _, alone, resumed = model.requests
    assert alone.program.call == "statement('abcdef', 2)"
    assert resumed.given == truth()[: truth().index(b"4 c=")]
    assert [step.start for step in rolled.sure] == [0, *(step.end for step in rolled.sure[:-1])]
    assert rolled.sure[-1].end == len(truth())


def test_a_statement_that_stays_unsure_is_predicted_with_loops() -> None:
    model = Doubtful(b"b='cdef'", b"b='def'", alone=-0.9)
    assert deepened(model).prediction.text == truth()
    assert [("for " in request.program.source) for request in model.requests] == [False, False, True, False]


def test_a_returned_value_is_corrected() -> None:
    model = Doubtful(b")'CDEFX'", b")'CDFX'")
    assert deepened(model).prediction.text == truth()


def test_the_first_value_stands_if_the_others_are_less_sure() -> None:
    model = Doubtful(b"b='cdef'", b"b='def'", alone=-0.9, deeper=-0.9)
    assert b"b='def'" in deepened(model).prediction.text
    assert len(model.requests) == 3


def test_a_new_value_needs_a_probability_of_its_own() -> None:
    model = Doubtful(b"b='cdef'", b"b='def'", alone=-0.45, deeper=-0.45)
    assert b"b='def'" in deepened(model).prediction.text


def test_a_value_that_is_confirmed_is_surer_and_costs_no_second_prediction() -> None:
    model = Doubtful(b"b='cdef'", b"b='cdef'")
    rolled = deepened(model)
    assert (rolled.prediction.text, rolled.prediction.logprob) == (truth(), 0.0)
    assert len(model.requests) == 2


@pytest.mark.parametrize("budget", [{"statements": 0}, {"resumed_bytes": 0}])
def test_the_budget_is_a_bound(budget: dict[str, int]) -> None:
    model = Doubtful(b"b='cdef'", b"b='def'")
    assert b"b='def'" in deepened(model, **budget).prediction.text
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("b = s[n:]", {"n": "2"}),  # s is not known
        ("b = s[n:]", {"s": "<object>", "n": "2"}),  # not a literal
        ("b = s[n:]", {"s": "[1, ...]", "n": "2"}),  # not the whole value
        ("b = s[n:]", {"s": repr("a" * 1000), "n": "2"}),  # too long
        ("b = g(s)", {"s": "'a'"}),  # a function of the program
        ("b = [s for s in n]", {"n": "'a'"}),  # names of its own
    ],
)
def test_statements_that_depend_on_more_than_known_values_are_left_alone(line: str, values: dict[str, str]) -> None:
    statements = statements_by_line(f"def g(x):\n    return x\n{line}\n")
    assert 3 not in statements or statement_programs(statements[3], values) == ()


def test_the_programs_of_a_statement_have_its_value() -> None:
    """On generated programs: executing them gives what the recording has."""
    programs, values = list[Program](), list[str | None]()
    for task in islice(suites.load("generated", seed=5).tasks, 25):
        request = PredictionRequest(program=rewrite_program(task.program, flatten=True))
        (recorded,) = Interpreter().predict([request])
        statements, state = statements_by_line(request.program.source), State()
        for step in parse(recorded.text, request.prompt).steps[:20]:
            names, statement = dict(state.frames.get(step.frame, {})), statements.get(step.line)
            state.apply(step)
            if statement is None or step.event != ("line" if statement.target else "return"):
                continue
            if not set(step.delta) - {statement.target}:
                value = step.delta.get(statement.target, names.get(statement.target)) if statement.target else step.arg
                own = statement_programs(statement, names)
                programs += own
                values += [value] * len(own)
    assert len(programs) > 50
    requests = [PredictionRequest(program=program) for program in programs]
    for request, value, prediction in zip(requests, values, Interpreter().predict(requests), strict=True):
        *_, last = parse(prediction.text, request.prompt).steps
        assert (last.event, last.arg) == ("return", value) or last.event == "raise", request.program
