"""What a stopped loop would end with: rules that give the watched rounds, and those far before them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.recording.guests.rehearsal.assumed.regularity import MAX_PERIOD, find_rule, find_rules

pytestmark = pytest.mark.unit
WATCHED = 48
coefficients = st.lists(st.integers(-1_000, 1_000), min_size=1, max_size=4)


@given(coefficients, st.integers(-(10**12), 10**12))
def test_a_polynomial_is_found_from_eight_rounds(terms: list[int], at: int) -> None:
    def value(round_: int) -> int:
        return sum(term * round_**power for power, term in enumerate(terms))

    rule = find_rule([value(round_) for round_ in range(8)])
    assert rule is not None
    assert rule(at) == value(at)


@given(st.lists(st.tuples(st.integers(), st.integers()), min_size=1, max_size=MAX_PERIOD), st.integers(0, 10**12))
def test_each_part_of_a_period_has_a_line_of_its_own(parts: list[tuple[int, int]], at: int) -> None:
    def value(round_: int) -> int:
        start, slope = parts[round_ % len(parts)]
        return start + slope * (round_ // len(parts))

    rule = find_rule([value(round_) for round_ in range(WATCHED)])
    assert rule is not None
    assert rule(at) == value(at)


@given(st.lists(st.sampled_from(["a", "b", None, True, 1.5]), min_size=1, max_size=5), st.integers(0, 10**12))
def test_values_of_any_plain_type_repeat(period: list[Any], at: int) -> None:
    rule = find_rule([period[round_ % len(period)] for round_ in range(WATCHED)])
    assert rule is not None
    assert rule(at) is period[at % len(period)]


@pytest.mark.parametrize(
    "column",
    [
        [round_ * round_ % 97 for round_ in range(WATCHED)],
        [0.1 * round_ for round_ in range(WATCHED)],
        [2**round_ for round_ in range(WATCHED)],
        [1, True] * 3 + [True, 1],
    ],
)
def test_nothing_is_found_without_a_rule(column: list[Any]) -> None:
    assert find_rule(column) is None


def test_a_rule_has_to_give_what_was_seen_before() -> None:
    """`if round % 1000 == 0: late = round` looks constant for 48 rounds, and is not."""
    rows = [{"late": round_ // 1_000 * 1_000, "at": round_} for round_ in range(100_000)]
    watched, first = rows[50_010 : 50_010 + WATCHED], 50_010
    assert set(find_rules(watched, [], first)) == {"late", "at"}
    assert set(find_rules(watched, [(20_000, rows[20_000])], first)) == {"at"}
