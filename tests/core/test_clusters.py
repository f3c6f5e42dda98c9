"""Rates in clusters: the plain interval where values stand alone, and nominal coverage where they go together."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.core.clusters.shares import clustered, corrected, design_effect, paired_effect, widened
from worldline.core.clusters.student import student
from worldline.core.stats import RateDifference, wilson

COUNTS = st.integers(1, 20).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(st.lists(st.booleans(), min_size=1, max_size=200))
def test_clusters_of_one_value_give_wilsons_interval(values: list[bool]) -> None:
    share = clustered((int(value), 1) for value in values)
    assert (share.some, share.n, share.clusters) == (sum(values), len(values), len(values))
    assert share.effective == pytest.approx(len(values))
    assert share.interval == pytest.approx(wilson(sum(values), len(values)))


@given(st.lists(COUNTS, min_size=1, max_size=30), st.none() | st.just(20))
def test_the_effective_number_is_between_alike_and_independent(counts: list[tuple[int, int]], most: int | None) -> None:
    share = clustered(counts, at_most=most)
    n = sum(size for _, size in counts)
    assert n * n / sum(size * size for _, size in counts) - 1e-9 <= share.effective <= n + 1e-9
    low, high = share.interval
    assert 0 <= low <= (share.rate or 0) + 1e-9
    assert (share.rate or 0) - 1e-9 <= high <= 1


@given(st.lists(COUNTS, min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_the_order_of_clusters_and_empty_ones_change_nothing(counts: list[tuple[int, int]], rng: Random) -> None:
    shuffled = [*counts, (0, 0)]
    rng.shuffle(shuffled)
    assert clustered(shuffled).effective == pytest.approx(clustered(counts).effective)


def test_where_nothing_is_known_of_clusters_all_values_of_one_may_be_alike() -> None:
    assert clustered([(0, 50), (0, 50)]).effective == pytest.approx(2)
    assert clustered([(50, 50)]).effective == pytest.approx(1)
    # Only one value of a cluster can fail: then none has failed in a hundred independent chances.
    assert clustered([(0, 50), (0, 50)], at_most=1).effective == pytest.approx(100)
    assert clustered([]).interval == (0.0, 1.0)
    assert clustered([]).rate is None


def covered(rng: Random, rate: float, alike: float, draw_size: Callable[[], int], clusters: int) -> tuple[bool, bool]:
    """Whether the clustered and the plain interval hold the rate of one simulated sample of correlated clusters."""
    alpha, beta = rate * (1 - alike) / alike, (1 - rate) * (1 - alike) / alike
    counts = []
    for _ in range(clusters):
        own, size = rng.betavariate(alpha, beta), draw_size()
        counts.append((sum(rng.random() < own for _ in range(size)), size))
    share = clustered(counts)
    intervals = share.interval, wilson(share.some, share.n)
    return intervals[0][0] <= rate <= intervals[0][1], intervals[1][0] <= rate <= intervals[1][1]


@pytest.mark.parametrize(
    ("rate", "alike", "clusters"), [(0.5, 0.2, 40), (0.3, 0.5, 40), (0.2, 0.1, 15), (0.1, 0.1, 60)]
)
def test_correlated_clusters_are_covered_nominally(rate: float, alike: float, clusters: int) -> None:
    rng = Random(7)
    results = [covered(rng, rate, alike, lambda: rng.randint(1, 20), clusters) for _ in range(500)]
    by_cluster, plain = (sum(column) / len(results) for column in zip(*results, strict=True))
    assert 0.92 <= by_cluster <= 0.985  # 95 %, within what 500 simulations can tell
    assert plain < 0.88


def test_a_first_failure_per_cluster_is_covered_too() -> None:
    """Values up to the first wrong one, as reports count them: failures of a program cannot come together."""
    rng, rate, hits = Random(3), 0.02, 0
    for _ in range(500):
        counts = []
        for _ in range(40):
            size = next((n for n in range(1, 60) if rng.random() < rate), 0)
            counts.append((1, size) if size else (0, 60))
        low, high = clustered(counts, at_most=1).interval
        hits += low <= rate <= high
    assert 0.92 <= hits / 500 <= 0.985


def test_students_quantiles() -> None:
    # From printed tables.
    table = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 10: 2.228, 29: 2.045, 120: 1.980}
    assert {degrees: round(student(degrees), 3) for degrees in table} == table
    assert student(10**6) == pytest.approx(1.96, abs=1e-4)


def test_single_values_have_no_design_effect() -> None:
    stratum = {i: (i % 3 == 0, 1, 0, 0) if i % 2 else (0, 0, i % 5 == 0, 1) for i in range(60)}
    counts = {key: (int(x), n, int(y), m) for key, (x, n, y, m) in stratum.items()}
    assert design_effect([counts]) == pytest.approx(1)
    assert design_effect([{}]) == 1
    changes = {i: (i % 3 - 1,) for i in range(60)}
    assert paired_effect(changes) == pytest.approx(1)
    assert paired_effect({0: (1, 1)}) == 1


def test_alike_values_count_once() -> None:
    """Twenty equal copies of each value: the design effect is about twenty."""
    counts = {i: (20 * (i % 3 == 0), 20, 0, 0) if i % 2 else (0, 0, 20 * (i % 5 == 0), 20) for i in range(400)}
    assert design_effect([counts]) == pytest.approx(20, rel=0.02)
    assert paired_effect({i: (i % 3 - 1,) * 20 for i in range(400)}) == pytest.approx(20, rel=0.02)


def test_corrections_widen_and_weaken() -> None:
    plain = RateDifference(0.1, 0.05, 0.2)
    assert widened(plain, 1.0) is plain
    assert widened(None, 2.0) is None
    wide = widened(plain, 4.0)
    assert wide is not None
    assert (wide.rate, wide.low, wide.high) == pytest.approx((0.1, 0.0, 0.3))
    assert corrected(0.03, 1.0) == 0.03
    assert corrected(0.0455, 4.0) == pytest.approx(0.3173, abs=1e-3)  # two standard errors become one
    assert corrected(1.0, 9.0) == 1.0
