"""The solver's words as the program's."""

from __future__ import annotations

import pytest

from worldline.plan.paths.symbolic import rewrite_condition

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("x_2 == 100001", "x == 100001"),
        ("Not(x_2 == 100001)", "x != 100001"),
        ("Not(xs_2_len_4 <= 1)", "len(xs) > 1"),
        ("3 == xs_2_len_4", "len(xs) == 3"),
        ("d_2items_len_4 <= 0", "len(d) <= 0"),
        ("xs_2_map_3[0] <= 100 + 3*k_5", "xs[0] <= 100 + 3*k"),
        ("Not(xs_2_map_3[1] <= 100 + 3*k_5)", "xs[1] > 100 + 3*k"),
        ("991 == t_5_at_0", "t[0] == 991"),
        ("Not(t_5_at_1len <= 0)", "len(t[1]) > 0"),
        ("Not(o_6_8 <= 7/2)", "o > 7/2"),
        ("Not(15/4 <= o_6_8)", "o < 15/4"),
        ("96354 == s_2@0", "s[0] == '𗡢'"),
        ("And(105 == s_2@0, 45 == s_2@2)", "And(s[0] == 'i', s[2] == '-')"),
        ("Not(And(33 == y_4@0, 63 == y_4@1))", "Not(And(y[0] == '!', y[1] == '?'))"),
        ("625 == a_2*a_2 + b_3*b_3", "a*a + b*b == 625"),
        ("7 == n_2%1013", "n%1013 == 7"),
        ("Not(7 == n_2%1013)", "n%1013 != 7"),
        ("snake_case_2 <= 3", "snake_case <= 3"),
        ("True", ""),
        ("strange(stuff, here)", "strange(stuff, here)"),
    ],
)
def test_conditions_are_rewritten_without_numbers(said: str, meant: str) -> None:
    assert rewrite_condition(said) == meant


def test_an_input_whose_own_name_ends_in_a_number_is_known_by_name() -> None:
    assert rewrite_condition("Not(x_2_5 <= x_7)", ["x_2", "x"]) == "x_2 > x"
