"""The curriculum as a pure function: what is nearly within reach comes more often, spacings open one after another."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.core.errors import FormatError
from worldline.learning.curriculum import (
    CLOSED_SHARE,
    FACTOR_LIMITS,
    Curriculum,
    DrillResult,
    from_json,
    initial_curriculum,
    update_curriculum,
)

pytestmark = pytest.mark.unit

SPACINGS = {2: 0.4, 4: 0.6, 8: 0.6, 16: 0.3}
LABELS = st.sampled_from(["kind a", "kind b", "source x", "mode bare", "operation count", "reveal 2"])
RESULTS = st.lists(st.builds(DrillResult, LABELS, st.booleans(), st.floats(min_value=-5000, max_value=0)), max_size=60)


def several(label: str, chance: float, count: int = 40) -> list[DrillResult]:
    return [DrillResult(label, chance > 0.5, math.log(chance))] * count


def test_what_is_nearly_within_reach_comes_more_often_than_what_is_mastered_or_hopeless() -> None:
    results = [*several("kind nearly", 0.4), *several("kind mastered", 0.999), *several("kind hopeless", 1e-6)]
    factors = update_curriculum(Curriculum(), results, {}).factors
    assert factors["kind nearly"] > 1.5 > 0.5 > factors["kind mastered"] > 0
    assert factors["kind hopeless"] == pytest.approx(factors["kind mastered"], abs=0.1)


def test_little_evidence_moves_little() -> None:
    many = [*several("kind a", 0.999), *several("kind b", 0.999), *several("kind c", 0.9)]
    single = update_curriculum(Curriculum(), [*many, *several("kind d", 0.5, 1)], {}).factors["kind d"]
    forty = update_curriculum(Curriculum(), [*many, *several("kind d", 0.5)], {}).factors["kind d"]
    assert 1 < single < forty


@given(st.lists(RESULTS, max_size=4))
def test_factors_stay_within_their_limits_and_survive_json(sets: list[list[DrillResult]]) -> None:
    now = initial_curriculum(SPACINGS)
    for results in sets:
        now = update_curriculum(now, results, SPACINGS)
    for label, factor in now.factors.items():
        limit, _ = FACTOR_LIMITS.get(label.partition(" ")[0], (math.inf, 0))
        assert 1 / limit - 1e-9 <= factor <= limit + 1e-9
    assert now.sets == len(sets)
    again = from_json(json.loads(json.dumps(now.to_json())))
    assert again.tallies == now.tallies
    assert again.factors == pytest.approx(now.factors, abs=1e-4)


@given(RESULTS)
def test_the_weight_of_sparse_reveals_is_mostly_of_the_open_spacings(results: list[DrillResult]) -> None:
    now = update_curriculum(initial_curriculum(SPACINGS), results, SPACINGS)
    weights = {n: weight * now.factors[f"reveal {n}"] for n, weight in SPACINGS.items()}
    assert sum(weights.values()) == pytest.approx(sum(SPACINGS.values()))
    assert all(weight > 0 for weight in weights.values())
    closed = sum(weight for n, weight in weights.items() if n > now.opened)
    assert closed <= CLOSED_SHARE * sum(weights.values()) * (1 + 1e-9)


def test_a_spacing_opens_when_the_one_before_is_held_and_not_earlier() -> None:
    now = initial_curriculum(SPACINGS)
    assert now.opened == 2
    now = update_curriculum(now, several("reveal 2", 0.95, 8), SPACINGS)  # too few
    assert now.opened == 2
    now = update_curriculum(now, several("reveal 2", 0.95, 8), SPACINGS)
    assert now.opened == 4
    now = update_curriculum(now, several("reveal 4", 0.3, 30), SPACINGS)
    assert now.opened == 4
    for _ in range(20):
        now = update_curriculum(now, several("reveal 4", 0.97, 10), SPACINGS)
    assert now.opened == 8
    assert now.factors["reveal 8"] * SPACINGS[8] > now.factors["reveal 4"] * SPACINGS[4] > 0


def test_old_measurements_fade() -> None:
    now = update_curriculum(Curriculum(), [*several("kind a", 0.5), *several("kind b", 0.5)], {})
    for _ in range(30):
        now = update_curriculum(now, [*several("kind a", 0.999), *several("kind b", 0.5)], {})
    assert now.factors["kind a"] < 0.3 < 1 < now.factors["kind b"]


@pytest.mark.parametrize("data", [None, [], {}, {"tallies": 3}, {"tallies": {}, "opened": "x", "factors": {}}])
def test_what_is_no_curriculum_is_refused(data: object) -> None:
    with pytest.raises(FormatError):
        from_json(data)
