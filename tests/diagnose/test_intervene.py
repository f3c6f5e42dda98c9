"""Interventions on failed and on passing samples: exact counts, with a model whose mistakes are known."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import product

import pytest
from recorded import EXCEPTIONS, sample, truth
from scripted_model import Mistaken, argument, programs, samples

from worldline.codec.compact.prompt import Compact
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.core.stats import Paired, mcnemar, wilson
from worldline.diagnose.cause import CAUSES
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.interventions import CONFIRMING, INTERVENTIONS, Unfit, plan, repaired
from worldline.diagnose.sample import Sample
from worldline.diagnose.trials import Trials, run_interventions
from worldline.predict.interpreter import Interpreter
from worldline.predict.models import load_model
from worldline.predict.prediction import Prediction, PredictionRequest

pytestmark = pytest.mark.usefixtures("sandbox")


def outcomes(found: Trials, intervention: str) -> dict[str, int]:
    """How often each outcome of an intervention."""
    shown = [item.outcome for item in found.tried if item.intervention == intervention]
    return {name: shown.count(name) for name in sorted(set(shown))}


def test_mcnemar_is_the_exact_binomial() -> None:
    for lost, gained in product(range(12), range(12)):
        n, low = lost + gained, min(lost, gained)
        wanted = min(1.0, 2 * sum(math.comb(n, k) for k in range(low + 1)) / 2**n)
        assert mcnemar(lost, gained) == pytest.approx(wanted)
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(0, 5000) < 1e-300


def test_the_interval_holds_the_rate_and_stays_in_bounds() -> None:
    for n in (1, 7, 100):
        for some in range(n + 1):
            low, high = wilson(some, n)
            assert 0.0 <= low <= some / n <= high <= 1.0
    assert wilson(0, 0) == (0.0, 1.0)
    pairs = Paired(right=8, regressed=2, recovered=5, wrong=1)
    assert (pairs.n, pairs.net, pairs.p) == (16, 3, mcnemar(2, 5))
    assert (pairs.recovery.rate, pairs.regression.rate) == (5 / 6, 2 / 10)


def wrong_value(ask: PredictionRequest, truth: bytes) -> bytes:
    """For arguments below 3, `a` is wrong and all that follows from it."""
    if argument(ask) >= 3:
        return truth
    return truth.replace(b"2 a=", b"2 a=9").replace(b"3 b=", b"3 b=9").replace(b")", b")9").replace(b"(1", b"(1")


def test_a_repaired_state_recovers_every_failed_sample_and_does_not_touch_passing_ones() -> None:
    model = Mistaken(wrong_value)
    result = run_interventions(samples(model, programs(9)), model, interventions=("repair",), seed=1)
    assert result.failed == (0, 1, 2)
    assert len(result.chosen) == 3
    assert set(result.chosen) <= set(range(3, 9))
    assert outcomes(result, "repair") == {"recovered": 3, "unfit": 3}
    (effect,) = result.effects
    assert (effect.pairs.recovered, effect.pairs.regressed, effect.unfit) == (3, 0, 3)
    assert effect.pairs.p == 0.25
    assert effect.expected is not None
    assert effect.expected.count == 3
    assert result.flipped(0) == ("repair",)
    assert result.confirmed["wrong value"].as_json()["some"] == 3
    given = model.asked[-1].given
    assert given.count(b"\n") == 2
    assert given.endswith(b"2 a=3\n")
    json.dumps(result.as_json())


def test_the_answer_is_never_given_away_by_a_repair() -> None:
    model = Mistaken(lambda ask, truth: truth.replace(b")", b")9"))
    result = run_interventions(samples(model, programs(2)), model, interventions=("repair",))
    assert [item.why for item in result.tried] == ["only the answer is wrong"] * 2


def test_another_format_recovers_some_and_regresses_others() -> None:
    """Failed: 0-3. In the other format 0, 1, 2 come right, and of the passing ones the even ones go wrong."""

    def mistake(ask: PredictionRequest, truth: bytes) -> bytes:
        n, is_dense = argument(ask), ask.options == Compact()
        bad = n < 4 if is_dense else n == 3 or (n >= 4 and n % 2 == 0)
        return truth.replace(b")", b")9") if bad else truth

    model = Mistaken(mistake)
    result = run_interventions(samples(model, programs(12)), model, interventions=("format",), seed=3)
    even = sum(n % 2 == 0 for n in result.chosen)
    pairs = result.effect("format").pairs
    assert pairs == Paired(right=4 - even, regressed=even, recovered=3, wrong=1)
    assert pairs.p == mcnemar(even, 3)
    expected = result.effect("format").expected
    assert expected is not None
    assert expected.count == 3 - even * 8 / 4
    assert expected.low < expected.count < expected.high
    assert model.asked[-1].options == Compact(delta="element")


def test_the_choice_of_passing_samples_follows_the_seed_and_nothing_else() -> None:
    model = Mistaken(wrong_value)
    some = samples(model, programs(30))
    item, same = (run_interventions(some, model, interventions=("repair",), seed=5).as_json() for _ in range(2))
    assert item == same
    chosen = {tuple(run_interventions(some, model, interventions=(), seed=seed).chosen) for seed in range(8)}
    assert len(chosen) > 4


def test_a_larger_budget_continues_from_the_cut() -> None:
    model = Mistaken(lambda ask, truth: truth)
    some = samples(model, programs(3), limit=20)
    result = run_interventions(some, model, interventions=("budget",))
    assert result.causes == ("budget",) * 3
    assert outcomes(result, "budget") == {"recovered": 3}
    assert result.confirmed["budget"].rate == 1.0
    assert all(ask.limit == 80 and len(ask.given) == 20 for ask in model.asked[-3:])


LOOP = "    s = 0\n    for i in range(n):\n        s += i\n    return s\n"


def test_forced_actions_recover_a_loop_that_ends_too_early() -> None:
    def mistake(ask: PredictionRequest, truth: bytes) -> bytes:
        if argument(ask) % 2:
            return truth
        early = truth.index(b"3 i=1\n")
        return truth[:early] + b"3\n5\n)0\n.\n"

    model = Mistaken(mistake)
    result = run_interventions(samples(model, programs(7, LOOP)[3:]), model, interventions=("actions", "guard"))
    assert outcomes(result, "actions") == {"recovered": 2, "unfit": 2}
    assert result.causes == ("wrong action",) * 2
    assert {item.why for item in result.tried if item.intervention == "guard"} == {
        "the prediction never leaves the control flow"
    }


def test_the_guard_applies_only_where_the_control_flow_was_left() -> None:
    """Line 5 cannot follow line 2: a loop is between them."""
    model = Mistaken(lambda ask, truth: truth.replace(b"3 i=0\n", b"5 i=0\n") if argument(ask) == 4 else truth)
    some = samples(model, programs(6, LOOP)[4:])
    assert plan("guard", Diagnosis(some[0])).force == "guard"
    assert plan("guard", Diagnosis(some[0])).ask.given.endswith(b"2 s=0\n")
    with pytest.raises(Unfit, match="never leaves"):
        plan("guard", Diagnosis(some[1]))


NESTED = "    return (n + 1) * 2 - n\n"


def test_flattened_programs_have_a_truth_of_their_own() -> None:
    """Nested expressions are wrong for 0 and 1; the flattened program is wrong for 3 alone."""

    def mistake(ask: PredictionRequest, truth: bytes) -> bytes:
        n, is_nested = argument(ask), "* 2 - n" in ask.program.source
        bad = n < 2 if is_nested else n == 3
        return truth.replace(b")", b")9") if bad else truth

    model = Mistaken(mistake)
    some = [*samples(model, programs(4, NESTED)), *samples(model, programs(2))]
    result = run_interventions(some[:4], model, interventions=("flatten",))
    assert outcomes(result, "flatten") == {"recovered": 2, "regressed": 1, "right": 1}
    assert result.effect("flatten").pairs.p == mcnemar(1, 2)
    again = next(item.found for item in result.tried if item.outcome == "recovered")
    assert again is not None
    assert again.ask.program.source.count("\n") > some[0].ask.program.source.count("\n")
    with pytest.raises(Unfit, match="nothing to decompose"):
        plan("flatten", Diagnosis(some[4]))


def test_string_methods_as_loops() -> None:
    body = "    s = 'abc' * n\n    return s.replace('b', 'xy')\n"
    model = Mistaken(lambda ask, truth: truth.replace(b")'", b")'9") if ".replace('b'" in ask.program.source else truth)
    result = run_interventions(samples(model, programs(3, body)[1:]), model, interventions=("chars",))
    assert outcomes(result, "chars") == {"recovered": 2}
    assert "while " in model.asked[-1].program.source
    assert model.asked[-1].limit == 1 << 12


def test_faults_are_counted_apart_and_never_as_wrong() -> None:
    def mistake(ask: PredictionRequest, truth: bytes) -> bytes | None:
        if ask.given and argument(ask) == 1:
            return None
        return wrong_value(ask, truth)

    model = Mistaken(mistake)
    some = samples(model, programs(6))
    some.append(replace(some[5], found=Prediction(text=b"", status="fault")))
    result = run_interventions(some, model, interventions=("repair",))
    assert result.unjudged == 1
    assert outcomes(result, "repair") == {"fault": 1, "recovered": 2, "unfit": 3}
    assert result.effect("repair").pairs.n == 2
    assert next(item.why for item in result.tried if item.outcome == "fault") == "the line was cut"


def test_a_model_that_cannot_be_forced_makes_an_intervention_unfit() -> None:
    """Queries go where a model is least sure: one that does not say so cannot be asked."""
    model = Mistaken(wrong_value)
    result = run_interventions(samples(model, programs(6)), model, interventions=("queries",))
    assert outcomes(result, "queries") == {"unfit": 6}
    assert "no confidence per step" in result.tried[0].why


def test_a_right_answer_of_a_wrong_trace_fails_by_trace_alone() -> None:
    model = Mistaken(lambda ask, truth: truth.replace(b"2 a=", b"2 a=9"))
    some = samples(model, programs(3))
    assert run_interventions(some, model, interventions=()).failed == ()
    by_trace = run_interventions(some, model, interventions=("repair",), by="trace")
    assert by_trace.failed == (0, 1, 2)
    assert outcomes(by_trace, "repair") == {"recovered": 3}


def test_progress_is_reported() -> None:
    model, heard = Mistaken(wrong_value), list[tuple[str, int, int]]()
    run_interventions(
        samples(model, programs(6)), model, interventions=("repair",), progress=lambda *told: heard.append(told)
    )
    assert heard == [("repair", 1, 3), ("repair", 2, 3), ("repair", 3, 3)]


def test_meta_s_format_is_repaired_by_frames() -> None:
    program = programs(2)[1]
    (true,) = Interpreter(codec="cwm").predict([PredictionRequest(program=program)])
    bad = true.text.replace(b'"a": "2"', b'"a": "7"')
    case = Diagnosis(Sample(ask=PredictionRequest(program=program), truth=true, found=replace(true, text=bad)))
    given = repaired(case)
    assert true.text.startswith(given)
    assert given.count(b"<|frame_sep|>") == 3
    assert plan("format", case).ask.options == Compact()
    with pytest.raises(Unfit, match="writes only cwm"):
        plan("format", case, codec="cwm")


def test_every_confirmable_cause_exists_and_every_intervention_confirms_one() -> None:
    assert set(CONFIRMING) <= set(CAUSES)
    interventions = {intervention for some in CONFIRMING.values() for intervention in some}
    assert interventions <= set(INTERVENTIONS)
    assert set(INTERVENTIONS) - interventions == {"queries"}


def test_unknown_interventions_and_measures_are_refused() -> None:
    model = Mistaken(wrong_value)
    with pytest.raises(UsageError, match="unknown intervention 'prayer'"):
        run_interventions(samples(model, programs(2)), model, interventions=("prayer",))
    with pytest.raises(UsageError, match="answer or trace"):
        run_interventions([], model, by="luck")


def test_the_shipped_model_tries_all_interventions() -> None:
    """Whatever it gets right or wrong: every intervention ends with an outcome, and why where it does not apply."""
    model = load_model("default", {"threads": "1"})
    ask = PredictionRequest(program=programs(4, "    return f'{n * 12345 % 977}'[::-1] + 'ab'\n")[3], limit=120)
    (truth,), (wrote,) = Interpreter().predict([ask]), model.predict([ask])
    result = run_interventions([Sample(ask=ask, truth=truth, found=wrote)], model, by="trace")
    assert {item.intervention for item in result.tried} == (set(INTERVENTIONS) if result.failed else set())
    for item in result.tried:
        assert item.outcome in ("recovered", "wrong", "unfit")
        assert bool(item.why) == (item.outcome == "unfit")


@pytest.mark.parametrize(("codec", "old", "new"), [("compact", "12 x=6", "12 x=4"), ("cwm", '"x": "6"', '"x": "4"')])
def test_a_handled_exception_is_not_a_given_answer(codec: str, old: str, new: str) -> None:
    case = Diagnosis(sample(EXCEPTIONS, (old, new), codec=codec))
    given = plan("repair", case, codec=codec).ask.given
    assert truth(EXCEPTIONS, codec).text.startswith(given)
    assert 0 < len(given) < len(truth(EXCEPTIONS, codec).text)


def test_another_exception_is_another_answer_in_metas_format() -> None:
    program = Program(source="def f(x):\n    return [1][x]\n", call="f(3)")
    (true,) = Interpreter(codec="cwm").predict([PredictionRequest(program=program)])
    other = true.text.replace(b"IndexError('list index out of range')", b"KeyError(3)")
    assert other != true.text
    case = Diagnosis(Sample(ask=PredictionRequest(program=program), truth=true, found=replace(true, text=other)))
    assert case.truth.answer == ("raise", "IndexError('list index out of range')")
    assert case.answer is False


def test_a_replay_is_not_judged() -> None:
    some = samples(Mistaken(lambda ask, text: text.replace(b")", b")1", 1)), programs(4))
    model = Mistaken(lambda ask, text: text)
    model.is_replay = True
    result = run_interventions(some, model)
    assert {item.status for item in result.tried} == {"unfit"}
    assert not model.asked
