"""Plain and parametrised tests, one that is skipped and one that is expected to fail."""

import sys

import pytest

from pantry import amounts


def test_divisor():
    assert amounts.greatest_divisor(48, 36) == 12


@pytest.mark.parametrize(
    ("numerator", "denominator", "expected"),
    [(6, 8, (3, 4)), (3, -9, (-1, 3)), (0, 5, (0, 1))],
    ids=["six", "sign", "0"],
)
def test_fraction(numerator, denominator, expected):
    assert amounts.reduce_fraction(numerator, denominator) == expected


def test_fraction_without_denominator():
    with pytest.raises(ZeroDivisionError, match="needs a denominator"):
        amounts.reduce_fraction(1, 0)


@pytest.mark.parametrize("people", [1, 3, 7])
@pytest.mark.parametrize("total", [0, 10])
def test_shares_add_up(total, people):
    shares = amounts.share(total, people)
    assert sum(shares) == total
    assert max(shares) - min(shares) <= 1


def test_running_totals():
    assert list(amounts.running_totals([2, 3, 5])) == [2, 5, 10]


def test_unknown_unit():
    with pytest.raises(ValueError, match="unknown unit 'lb'"):
        amounts.to_grams(2, "lb")


@pytest.mark.skipif(sys.version_info >= (3, 0), reason="needs an interpreter of the last century")
def test_long_integers():
    assert amounts.greatest_divisor(4, 2) == 2


@pytest.mark.xfail(reason="milligrams are floats", strict=True)
def test_milligrams_are_exact():
    assert amounts.to_grams(9, "mg") == 0.009
