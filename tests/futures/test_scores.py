"""Laws of the scores: no belief beats the truth, the truth itself costs nothing, and bins hold what they should."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.plan.futures.distribution import from_samples, from_weights
from worldline.plan.futures.scores import (
    Forecast,
    brier,
    brier_minimum,
    calibration_error,
    divergence,
    entropy,
    errors,
    impossible,
    log_loss,
    reliability,
    smooth_counts,
)

weights = st.dictionaries(st.sampled_from("abcdefg"), st.integers(1, 50), min_size=1)


def shares(counts: dict[str, int]) -> dict[str, float]:
    total = sum(counts.values())
    return {what: count / total for what, count in counts.items()}


@given(weights, weights)
def test_a_divergence_is_not_negative_and_0_of_the_truth_alone(one: dict[str, int], other: dict[str, int]) -> None:
    truth, belief = shares(one), shares(other)
    found = divergence(truth, belief)
    assert found >= 0
    assert divergence(truth, truth) == 0
    same = truth.keys() == belief.keys() and all(math.isclose(truth[k], belief[k]) for k in truth)
    assert (found == 0) == same
    if math.isfinite(found):
        assert log_loss(truth, belief) == pytest.approx(entropy(truth) + found)


@given(weights, weights)
def test_brier_is_the_score_beyond_the_least(one: dict[str, int], other: dict[str, int]) -> None:
    truth, belief = shares(one), shares(other)
    every = truth.keys() | belief.keys()
    score = sum(p * sum((belief.get(k, 0) - (k == what)) ** 2 for k in every) for what, p in truth.items())
    assert brier_minimum(truth) + brier(truth, belief) == pytest.approx(score)


@given(weights)
def test_of_the_truth_itself_every_error_is_0(counts: dict[str, int]) -> None:
    truth = shares(counts)
    found = errors(truth, dict(truth))
    assert found.divergence == found.brier == found.calibration == found.impossible == 0
    assert found.log_loss == pytest.approx(found.entropy)
    assert found.brier_score == pytest.approx(found.brier_least)


def test_missing_true_outcome_costs_infinity() -> None:
    found = errors({"a": 0.5, "b": 0.5}, {"a": 0.9, "c": 0.1})
    assert found.divergence == found.log_loss == math.inf
    assert found.as_json()["divergence"] is None
    assert found.impossible == pytest.approx(0.1)
    smooth = smooth_counts({"a": 9, "c": 1}, ["a", "b"])
    assert sum(smooth.values()) == pytest.approx(1)
    assert smooth["b"] == 0.5 / 11.5
    assert math.isfinite(errors({"a": 0.5, "b": 0.5}, {"a": 0.9, "c": 0.1}, smooth=smooth).divergence)


def test_a_die_that_is_believed_to_be_loaded() -> None:
    truth, belief = dict.fromkeys("123456", 1 / 6), {**dict.fromkeys("12345", 0.1), "6": 0.5}
    found = errors(truth, belief)
    assert found.entropy == pytest.approx(math.log2(6))
    assert found.divergence == pytest.approx(5 / 6 * math.log2(10 / 6) + math.log2(1 / 3) / 6)
    assert [(one.low, one.n) for one in found.bins] == [(0.1, 5), (0.5, 1)]
    assert found.calibration == pytest.approx(5 / 6 * (1 / 6 - 0.1) + 1 / 6 * (0.5 - 1 / 6))


@given(st.lists(st.builds(Forecast, st.floats(0, 1), st.floats(0, 1), st.floats(0.1, 9)), min_size=1))
def test_bins_share_out_all_the_weight(some: list[Forecast]) -> None:
    bins = reliability(some)
    assert sum(one.share for one in bins) == pytest.approx(1)
    assert sum(one.n for one in bins) == len(some)
    assert all(one.low - 1e-9 <= one.believed <= one.high + 1e-9 for one in bins)
    assert 0 <= calibration_error(bins) <= 1


def test_impossible_mass_is_outside_the_truth() -> None:
    assert impossible({"a": 1.0}, {"a": 0.25, "b": 0.5, "c": 0.25}) == 0.75


@given(st.lists(st.tuples(st.sampled_from("abc"), st.fractions(0, 1))), st.fractions(0, 1))
def test_weights_add_up_and_bound_the_truth(parts: list[tuple[str, Fraction]], left: Fraction) -> None:
    found = from_weights(parts, left)
    assert sum(found.mass.values()) == sum(weight for _, weight in parts)
    for what, mass in found.mass.items():
        assert found.interval(what) == (float(mass), float(mass + left))


def test_counts_have_wilsons_interval() -> None:
    found = from_samples(["a"] * 30 + ["b"] * 70)
    assert list(found.mass) == ["b", "a"]
    low, high = found.interval("a")
    assert low < 0.3 < high
    assert found.interval("c")[0] == 0 < found.interval("c")[1] < 0.05
