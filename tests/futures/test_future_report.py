"""Futures of real programs in a real box: exact, bounded, sampled; what a model believes beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import pytest
from plain_predictor import PlainPredictor

from worldline.core.errors import UsageError
from worldline.core.hidden import replaying
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.plan.futures.future_report import NEGLIGIBLE, Effort, FutureReport, build_report
from worldline.plan.futures.futures import sandboxed_program
from worldline.plan.futures.subject import MALFORMED, UNFINISHED, Subject
from worldline.plan.futures.walk import Walk
from worldline.predict.interpreter import Interpreter
from worldline.predict.models import load_local
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor

COINS = """import random

def f(n):
    heads = 0
    for i in range(n):
        heads += random.randrange(2)
    if heads == n:
        raise ValueError(heads)
    return heads
"""


def told(
    source: str,
    call: str | None,
    subject: Subject | None = None,
    *,
    model: Predictor | None = None,
    effort: Effort | None = None,
) -> FutureReport:
    program = Program(source=source, call=call)
    with sandboxed_program(program) as world:
        return build_report(world, program, subject or Subject(), effort=effort or Effort(), model=model)


def test_coins_are_exact() -> None:
    found = told(COINS, "f(3)")
    masses = {what: mass for what, mass in found.truth.mass.items() if not what.startswith("raises")}
    assert masses == {"1": Fraction(3, 8), "2": Fraction(3, 8), "0": Fraction(1, 8)}
    assert sum(found.truth.mass.values()) == 1
    assert (found.runs, found.way, found.drawn) == (8, "exact; 8 runs", ("below 2",))


def test_a_name_at_a_step_and_at_a_line_and_the_path() -> None:
    step = told(COINS, "f(3)", Subject(name="heads", step=3))
    assert (dict(step.truth.mass), step.runs) == ({"0": Fraction(1, 2), "1": Fraction(1, 2)}, 2)
    line = told(COINS, "f(2)", Subject(name="heads", line=6))
    assert dict(line.truth.mass) == {"1": Fraction(1, 2), "0": Fraction(1, 4), "2": Fraction(1, 4)}
    path = told(COINS, "f(2)", Subject(path=True))
    assert sorted(path.truth.mass.values()) == [Fraction(1, 4), Fraction(3, 4)]


def test_outcome_of_a_script_is_its_output() -> None:
    found = told("import random\nprint(random.choice('ab'))\n", None)
    assert sum(found.truth.mass.values()) == 1
    assert all(mass == Fraction(1, 2) for mass in found.truth.mass.values())


def test_a_float_is_sampled_and_its_interval_holds_the_truth() -> None:
    source = "import random\n\ndef f():\n    return random.random() < 0.25\n"
    found = told(source, "f()", effort=Effort(samples=None, runs=50))
    assert found.truth.samples == 500
    low, high = found.truth.interval("True")
    assert low < 0.25 < high
    assert any("float" in note for note in found.notes)
    exact = told(source, "f()", effort=Effort(exact=True))
    assert exact.truth.left == 1
    assert any("no finite list" in note for note in exact.notes)


def test_exact_walk_over_budget_is_bounded() -> None:
    found = told(COINS, "f(9)", effort=Effort(exact=True, runs=20))
    assert found.runs == 20
    assert found.truth.left == 1 - sum(found.truth.mass.values()) > 0
    sampled = told(COINS, "f(9)", effort=Effort(samples=20))
    assert sampled.truth.samples == 20


def test_a_program_that_draws_until_it_is_lucky_is_walked_until_nothing_is_left_to_speak_of() -> None:
    source = """import random

def f():
    tries = 1
    while random.randrange(2):
        tries = min(tries + 1, 3)
    return tries
"""
    found = told(source, "f()", model=Interpreter())
    assert 0 < found.truth.left <= NEGLIGIBLE
    assert found.runs < 50
    assert not found.truth.samples
    assert found.own is not None
    assert (found.own.errors.divergence, found.own.errors.impossible) == (0, 0)
    low, high = found.truth.interval("1")
    assert low == 0.5 < high < 0.5 + 1e-8


def test_the_interpreter_as_model_has_0_in_every_figure() -> None:
    found = told(COINS, "f(3)", model=Interpreter())
    assert found.own is not None
    errors = found.own.errors
    assert errors.divergence == errors.brier == errors.calibration == errors.impossible == 0
    assert errors.log_loss == pytest.approx(errors.entropy)
    assert found.own.whole == pytest.approx(1)
    assert found.own.rest == 0


def test_shipped_model_is_measured_in_both_ways() -> None:
    local = load_local("default", {"temperature": "1", "seed": "3"})
    found = told(COINS, "f(1)", model=local, effort=Effort(texts=4))
    assert found.imagined is not None
    assert found.own is not None
    assert found.imagined.distribution.samples == 4
    assert sum(found.own.masses.values()) + found.own.rest == pytest.approx(1)
    assert found.own.errors.divergence >= 0
    as_json = found.as_json()
    assert as_json["own"]["errors"]["bins"]
    assert [name for name, _, _ in found.beliefs] == ["4 texts", "own odds"]


def test_every_future_can_be_replayed() -> None:
    program = Program(source=COINS, call="f(2)")
    with sandboxed_program(program) as world:
        for future in Walk(world):
            again = world(replaying(future.trace.hidden))
            assert (again.hidden, again.outcome) == (future.trace.hidden, future.trace.outcome)


class Writer(PlainPredictor):
    """A model that has one text for everything, and tells no odds."""

    name = "writer"

    def __init__(self, *texts: bytes) -> None:
        self.texts = texts

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for number, _ in enumerate(asks):
            yield Prediction(text=self.texts[number % len(self.texts)], status="ended")


def test_texts_are_counted_by_outcome() -> None:
    heads = b"(3 n=1\n4 heads=0\n5 i=0\n%'below 2'=0\n6\n5\n7\n9\n)0\n.\n"
    found = told(COINS, "f(1)", model=Writer(heads, b"what?", heads[:-2]), effort=Effort(texts=6))
    assert found.imagined is not None
    assert found.own is None
    assert any("cannot score texts" in note for note in found.notes)
    assert dict(found.imagined.distribution.mass) == dict.fromkeys(["0", MALFORMED, UNFINISHED], Fraction(1, 3))
    assert found.imagined.errors.impossible == pytest.approx(2 / 3)
    assert found.imagined.errors.divergence > 0


def test_server_gets_a_new_seed_for_each_text() -> None:
    asked = list[int]()

    def fresh(number: int) -> Predictor:
        asked.append(number)
        return Writer(b"(3 n=1\n")

    found = told(COINS, "f(1)", model=Writer(b"x"), effort=Effort(texts=3, fresh=fresh))
    assert asked == [0, 1, 2]
    assert found.imagined is not None
    assert dict(found.imagined.distribution.mass) == {UNFINISHED: 1}


def test_report_holds_what_is_known_at_the_time_limit() -> None:
    found = told(COINS, "f(9)", model=Writer(b"x"), effort=Effort(exact=True, enough=lambda: True))
    assert found.runs == 1
    assert found.truth.left == 1 - Fraction(1, 512)
    assert found.imagined is not None
    assert found.imagined.distribution.samples == 1


def test_threads_are_no_chance_for_the_interpreter_either() -> None:
    source = """import random, threading

def f():
    box = []
    t = threading.Thread(target=lambda: box.append(random.randrange(3)))
    t.start()
    t.join()
    return box
"""
    found = told(source, "f()", model=Interpreter(), effort=Effort())
    assert found.own is not None
    assert (found.runs, found.own.errors.divergence, found.own.errors.impossible) == (3, 0, 0)
    assert found.races is not None
    assert found.by_chance


def test_invalid_subject_is_refused() -> None:
    with pytest.raises(UsageError, match="not both"):
        Effort(exact=True, samples=3)
    with pytest.raises(UsageError, match="cwm"):
        told(COINS, "f(1)", model=Interpreter(codec="cwm"))


HALF = "import random\n\ndef f():\n    if random.randrange(2):\n        while True:\n            pass\n    return 1\n"


def limited(subject: Subject | None = None, model: Predictor | None = None) -> FutureReport:
    program = Program(source=HALF, call="f()")
    with sandboxed_program(program, limits=Limits(steps=50)) as world:
        return build_report(world, program, subject or Subject(), effort=Effort(), model=model)


def test_run_cut_by_a_limit_is_not_impossible() -> None:
    found = limited(model=Interpreter())
    assert dict(found.truth.mass) == {"1": Fraction(1, 2), "(limit steps)": Fraction(1, 2)}
    assert found.own is not None
    assert (found.own.errors.divergence, found.own.errors.entropy, found.own.rest) == (0, 1, 0)


def test_a_step_before_a_limit_is_known() -> None:
    assert all(what.startswith(("line ", "return ")) for what in limited(Subject(step=3)).truth.mass)
    assert "(limit steps)" in limited(Subject(step=999)).truth.mass


def test_fixed_inputs_are_noted() -> None:
    clock = "import time\n\ndef f():\n    return int(time.time()) % 2\n"
    assert any("clocks are those of seed 0" in note for note in told(clock, "f()").notes)
    assert not any("clocks" in note for note in told(COINS, "f(1)").notes)
    assert "zz has no value there in any run" in told(COINS, "f(1)", Subject(name="zz")).notes


DRAWING_THREADS = """import random, threading

def f():
    n = [0]
    def add():
        x = n[0]
        n[0] = x + random.randint(1, 2)
    threads = [threading.Thread(target=add) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return n[0]
"""


def test_schedules_note_the_seed_of_their_draws() -> None:
    found = told(DRAWING_THREADS, "f()", effort=Effort(runs=20))
    assert any("searched with the draws of seed 0" in note for note in found.notes)
