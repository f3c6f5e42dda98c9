"""The gate: monotone, refuses few, and keeps its promise on entries that it has not seen."""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.core.errors import UsageError
from worldline.core.stats import at_least, binomial_tails
from worldline.plan.gate import CONFIDENCE, MIN_ENTRIES, Gate, pool_entries
from worldline.plan.ledger import LedgerEntry, calibration_entries

points = st.lists(st.tuples(st.floats(-20, 0, allow_nan=False), st.booleans()), min_size=MIN_ENTRIES, max_size=120)


def entry(n: int, **told: object) -> LedgerEntry:
    usual = {
        "digest": f"{n}", "question": "return", "why": "", "imagined": "1", "true": "1", "score": -0.1, "model": "m",
    }  # fmt: skip
    return LedgerEntry(**{**usual, **told})  # type: ignore[arg-type]


@given(points, st.lists(st.floats(-25, 1, allow_nan=False), min_size=2, max_size=9))
def test_the_surer_is_not_oftener_wrong(some: list[tuple[float, bool]], scores: list[float]) -> None:
    gate = Gate.of_scores(some)
    found = [gate.probability(score) for score in sorted(scores)]
    assert found == sorted(found)
    assert all(0 <= p < 1 for p in found)


@given(points)
def test_pools_are_those_of_an_isotonic_regression(some: list[tuple[float, bool]]) -> None:
    pools = pool_entries(sorted(some))
    rates = [pool.rate for pool in pools]
    assert rates == sorted(set(rates))
    assert sum(pool.n for pool in pools) == len(some)
    assert sum(pool.right for pool in pools) == sum(is_right for _, is_right in some)


def test_few_runs_are_refused_in_one_sentence() -> None:
    with pytest.raises(UsageError, match=r"^29 recorded executions of this code are too few .*: 30 are needed$"):
        Gate.fit([entry(n) for n in range(29)])
    assert Gate.fit([entry(n) for n in range(30)]).n == 30


def test_high_confidence_needs_32_right_answers() -> None:
    def worth(right: int) -> float:
        return Gate.of_scores([*[(-9.0, False)] * 30, *[(-0.1, True)] * right]).probability(-0.1)

    assert worth(31) < 0.95 <= worth(32)
    assert Gate.of_scores([(-9.0, False)] * 30).probability(0.0) == 0.0


@given(st.integers(1, 60), st.integers(0, 60), st.sampled_from([0.5, 0.8, 0.95]))
def test_bound_matches_the_binomial_tail(n: int, some: int, confidence: float) -> None:
    bound = at_least(min(some, n), n, confidence=confidence)
    assert 0 <= bound <= min(some, n) / n
    if 0 < bound < 1:
        assert binomial_tails(min(some, n), n, bound)[1] == pytest.approx(1 - confidence, abs=1e-6)


def steep(score: float) -> float:
    """Right where the score is above 0.3, mostly."""
    return 1 / (1 + exp(-15 * (score - 0.3)))


def vain(score: float) -> float:
    """Never as sure as it says."""
    return 0.9 * score


def flat(score: float) -> float:
    """Nearly good enough, and the score says nothing: the hardest case for who must not say 95 %."""
    return 0.93


@pytest.mark.sampled(1)
@pytest.mark.parametrize("rate", [steep, vain, flat])
@pytest.mark.parametrize("n", [80])
def test_bound_holds_on_unseen_entries(rate: Callable[[float], float], n: int) -> None:
    """Of 100 ledgers, in at most one of five is less right than asked for among all that the gate lets through."""
    rng, broken = Random(f"{rate.__name__} {n}"), 0
    grid = [(i + 0.5) / 1_000 for i in range(1_000)]
    for _ in range(100):
        scores = [rng.random() for _ in range(n)]
        gate = Gate.of_scores([(score, rng.random() < rate(score)) for score in scores])
        through = [rate(score) for score in grid if gate.probability(score) >= 0.95]
        broken += bool(through) and sum(through) / len(through) < 0.95
    assert broken / 100 <= 1 - CONFIDENCE


def test_entries_are_selected_by_question_and_weights() -> None:
    kept = entry(1, score=-0.5)
    others = [
        entry(1, score=-0.2), kept, entry(2, question="line:3"), entry(3, model="other"), entry(4, score=None),
        entry(5, imagined=None), entry(6, told=2),
    ]  # fmt: skip
    assert calibration_entries(others, what="return", model="m") == [kept]
    assert [one.digest for one in calibration_entries(others, what="line", model="m")] == ["2"]
