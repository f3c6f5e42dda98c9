"""Rates, their intervals, and the rows that verdicts are counted in."""

from __future__ import annotations

import json
from math import comb
from random import Random

import pytest

from worldline.core.program import Program
from worldline.core.stats import NetEffect, Share, binomial_tails, net_effect, population_total
from worldline.evaluation.score import Verdict
from worldline.evaluation.suites.suite import Task
from worldline.evaluation.summary import Tally, report, wilson

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("right", "n", "low", "high"),
    [  # Wilson's score at 95 %, as published: Newcombe 1998, table I (81/263, 15/148, 0/20, 1/29), and n of n
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (29, 29, 0.8830, 1.0),
    ],
)
def test_the_interval_is_wilsons(right: int, n: int, low: float, high: float) -> None:
    assert wilson(right, n) == pytest.approx((low, high), abs=5e-5)


def test_the_interval_of_no_samples_is_everything() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert Tally().as_json()["rate"] is None


def verdict(answer: str, trace: str, steps: int = 8, type: str = "int", group: str = "") -> Verdict:
    task = Task(program=Program(source=""), group=group)
    return Verdict(task, answer, trace, type, steps, 0, 100, 0.5)


def test_outcomes_are_counted_apart_and_the_rate_is_of_all() -> None:
    rows = [
        verdict("right", "right"),
        verdict("right", "wrong"),
        verdict("wrong", "wrong"),
        verdict("truncated", "truncated"),
        verdict("malformed", "malformed"),
    ]
    found = report(rows, suite="s", model="m", skipped=3, faults=2).as_json()
    assert found["n"] == 5
    assert {key: found["answer"][key] for key in ("right", "wrong", "truncated", "malformed", "n", "rate")} == {
        "right": 2, "wrong": 1, "truncated": 1, "malformed": 1, "n": 5, "rate": 0.4,
    }  # fmt: skip
    assert (found["trace"]["right"], found["trace"]["wrong"]) == (1, 2)
    assert (found["seconds"], found["bytes"], found["skipped"], found["faults"]) == (2.5, 500, 3, 2)
    assert list(found)[:10] == [
        "conclusion", "suite", "model", "n", "answer", "trace", "by_length", "by_type", "seconds", "bytes",
    ]  # fmt: skip
    assert json.loads(json.dumps(found)) == found


def test_lengths_are_powers_of_two_of_true_steps() -> None:
    rows = [verdict("right", "right", steps) for steps in (1025, 1, 8, 9, 16, 17, 32, 33, 64, 65, 128, 129)]
    parts = report(rows, suite="s", model="m").by_length
    assert {name: part.answer.n for name, part in parts.items()} == {
        "1-8": 2, "9-16": 2, "17-32": 2, "33-64": 2, "65-128": 2, "129-256": 1, "1025-2048": 1,
    }  # fmt: skip
    assert next(iter(parts)) == "1-8"
    assert list(parts)[-1] == "1025-2048"


def test_a_task_may_name_its_own_row_and_rows_stand_in_the_order_of_numbers() -> None:
    rows = [verdict("right", "right", group=group) for group in ("128/8", "16/64", "16/8", "8/8")]
    assert list(report(rows, suite="s", model="m").by_length) == ["8/8", "16/8", "16/64", "128/8"]


def test_types_have_rows_of_answers_and_traces() -> None:
    rows = [verdict("right", "wrong", type="str"), verdict("wrong", "wrong", type="list")]
    found = report(rows, suite="s", model="m").as_json()["by_type"]
    assert list(found) == ["list", "str"]
    assert (found["str"]["right"], found["str"]["n"], found["str"]["trace"]["right"]) == (1, 1, 0)


@pytest.mark.parametrize(
    ("some", "n", "low", "high"), [(0, 10, 0.0, 0.3085), (3, 10, 0.0667, 0.6525), (29, 29, 0.8806, 1.0)]
)
def test_tails_make_clopper_and_pearsons_interval(some: int, n: int, low: float, high: float) -> None:
    inside = [p / 10_000 for p in range(1, 10_000) if min(binomial_tails(some, n, p / 10_000)) >= 0.025]
    assert (inside[0], inside[-1]) == pytest.approx((low, high), abs=1.1e-4)
    assert binomial_tails(10, 10, 1.0) == (1.0, 1.0)
    assert binomial_tails(9, 10, 1.0) == (0.0, 0.0)


def test_a_total_has_the_exact_hypergeometric_interval() -> None:
    """By direct counting: 5 draws from 98 are all successes too rarely if only 47 of the 98 are successes."""
    assert comb(48, 5) / comb(98, 5) > 0.025 > comb(47, 5) / comb(98, 5)
    assert population_total(Share(5, 5), 98) == (48, 98)
    assert population_total(Share(0, 5), 98) == (0, 50)
    assert population_total(Share(3, 5), 5) == (3, 3)
    low, high = population_total(Share(20, 100), 20_000)
    assert (low / 20_000, high / 20_000) == pytest.approx((0.127, 0.292), abs=0.002)  # Clopper and Pearson's


def test_a_net_effect_of_five_of_five_is_not_taken_for_certain() -> None:
    assert net_effect(Share(5, 5), 98, Share(0, 0), 0) == NetEffect(98.0, 48.0, 98.0)
    assert net_effect(Share(5, 5), 5, Share(1, 5), 5) == NetEffect(4.0, 4.0, 4.0)
    wide = net_effect(Share(5, 5), 98, Share(0, 5), 702)
    assert wide is not None
    assert (round(wide.low), wide.count, wide.high) == (-270, 98.0, 98.0)


def test_a_net_effect_is_not_given_for_a_stratum_that_was_not_tried() -> None:
    assert net_effect(Share(0, 0), 98, Share(0, 5), 702) is None
    assert net_effect(Share(5, 5), 98, Share(0, 0), 702) is None
    assert net_effect(Share(0, 0), 0, Share(0, 5), 5) == NetEffect(0.0, 0.0, 0.0)


def test_the_interval_of_a_net_effect_covers_the_truth() -> None:
    """Of 60 failures 30 can be fixed and of 200 passing samples 20 break; samples of 15 each are drawn 400 times."""
    rng, covered = Random(7), 0
    failing, passing = [True] * 30 + [False] * 30, [True] * 20 + [False] * 180
    for _ in range(400):
        fixed, broken = sum(rng.sample(failing, 15)), sum(rng.sample(passing, 15))
        net = net_effect(Share(fixed, 15), 60, Share(broken, 15), 200)
        assert net is not None
        covered += net.low <= 30 - 20 <= net.high
    assert covered >= 0.95 * 400
