"""Two groups compared: the difference of their rates, its interval, strata, exact tests, and many tests at once."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest

from worldline.core.stats import Paired, RateDifference, Share, Z, exact, holm, mantel_haenszel, newcombe, tango

pytestmark = pytest.mark.unit

RABBITS = [  # Agresti 1990, p. 195: penicillin and rabbits; cured of those treated at once, cured of the others
    (Share(0, 6), Share(0, 5)),
    (Share(3, 6), Share(0, 6)),
    (Share(6, 6), Share(2, 6)),
    (Share(5, 6), Share(6, 6)),
    (Share(2, 2), Share(5, 5)),
]


@pytest.mark.parametrize(
    ("one", "other", "low", "high"),
    [  # Newcombe 1998, Statistics in Medicine 17:873, table II, method 10
        (Share(56, 70), Share(48, 80), 0.0524, 0.3339),
        (Share(9, 10), Share(3, 10), 0.1705, 0.8090),
        (Share(10, 10), Share(0, 10), 0.6075, 1.0),
        (Share(0, 10), Share(0, 20), -0.1611, 0.2775),
    ],
)
def test_the_interval_of_a_difference_is_newcombes(one: Share, other: Share, low: float, high: float) -> None:
    found = newcombe(one, other)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)
    assert newcombe(Share(0, 0), other) is None


def test_one_stratum_of_equal_groups_is_the_plain_difference() -> None:
    found = mantel_haenszel([(Share(30, 100), Share(10, 100))])
    assert found is not None
    assert found.rate == pytest.approx(0.2)
    # By hand: with n = m, Sato's variance is the plain one, (p(1-p) + q(1-q)) / n, at the difference itself.
    assert found.low == pytest.approx(0.0907, abs=2e-3)
    assert found.high == pytest.approx(0.3032, abs=2e-3)
    assert mantel_haenszel([(Share(0, 9), Share(0, 0))]) is None


def test_without_any_difference_there_is_still_an_interval() -> None:
    """Sato's variance is 0 there, which says nothing of how many there were: the interval is Newcombe's of all."""
    found = mantel_haenszel([(Share(0, 4), Share(0, 16)), (Share(0, 6), Share(0, 4))])
    wanted = newcombe(Share(0, 10), Share(0, 20))
    assert found is not None
    assert wanted is not None
    assert (found.rate, found.low, found.high) == (0, wanted.low, wanted.high)
    mixed = mantel_haenszel([(Share(9, 9), Share(1, 1)), (Share(0, 1), Share(0, 9))])
    assert mixed is not None
    assert mixed.rate == 0
    assert mixed.low <= 0 <= mixed.high


def test_strata_take_away_what_only_length_explains() -> None:
    """Simpson's: within each length both fail alike; strings are longer, so all together they fail more."""
    strata = [(Share(1, 10), Share(9, 90)), (Share(45, 90), Share(5, 10))]
    pooled = newcombe(Share(46, 100), Share(14, 100))
    found = mantel_haenszel(strata)
    assert pooled is not None
    assert found is not None
    assert pooled.low > 0.15
    assert found.rate == pytest.approx(0)
    assert found.low < 0 < found.high
    assert exact(strata) == pytest.approx(1)


def test_the_exact_test_is_fishers_and_over_strata_that_of_r() -> None:
    assert exact([(Share(3, 4), Share(1, 4))]) == pytest.approx(34 / 70)  # the lady who tasted tea, two-sided
    assert exact(RABBITS) == pytest.approx(0.03994, abs=5e-6)  # R: mantelhaen.test(Rabbits, exact = TRUE)
    assert exact([]) == 1.0
    assert exact([(Share(0, 9), Share(0, 0))]) == 1.0


def test_holm_is_as_r_adjusts() -> None:
    # R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def draw(rng: random.Random, n: int, rate: float) -> Share:
    return Share(sum(rng.random() < rate for _ in range(n)), n)


def covered(times: int, truth: float, made: Callable[[random.Random], RateDifference | None]) -> float:
    rng = random.Random(14)
    found = [made(rng) for _ in range(times)]
    return sum(one is not None and one.low <= truth <= one.high for one in found) / times


@pytest.mark.parametrize(("n", "m", "p", "q"), [(30, 60, 0.3, 0.1), (80, 200, 0.05, 0.02)])
def test_newcombes_interval_covers_as_often_as_it_says(n: int, m: int, p: float, q: float) -> None:
    rate = covered(1_500, p - q, lambda rng: newcombe(draw(rng, n, p), draw(rng, m, q)))
    assert 0.93 <= rate <= 0.985


@pytest.mark.parametrize("size", [12, 60])
def test_the_adjusted_interval_covers_as_often_as_it_says(size: int) -> None:
    """Five lengths, rates that grow with length, many more strings among the long ones, one difference in all."""
    mix = [(0.2, 0.02), (0.5, 0.05), (1.0, 0.1), (1.5, 0.2), (2.0, 0.3)]

    def made(rng: random.Random) -> RateDifference | None:
        groups = [(int(size * share), int(size * (2.2 - share)), base) for share, base in mix]
        return mantel_haenszel([(draw(rng, n, base + 0.08), draw(rng, m, base)) for n, m, base in groups])

    assert 0.93 <= covered(1_500, 0.08, made) <= 0.985


def test_the_exact_test_is_rarely_wrong_where_nothing_differs() -> None:
    rng = random.Random(7)
    rates = [0.02, 0.1, 0.3]
    found = [exact([(draw(rng, 20, rate), draw(rng, 40, rate)) for rate in rates]) for _ in range(1_000)]
    assert sum(p < 0.05 for p in found) / len(found) <= 0.06


def likeliest(gained: int, lost: int, n: int, delta: float) -> float:
    """The likeliest rate of losses if gains are more frequent by delta, by a search over all of them."""
    low, high = max(0.0, -delta), (1 - delta) / 2

    def loglikelihood(rate: float) -> float:
        parts = ((gained, rate + delta), (lost, rate), (n - gained - lost, 1 - 2 * rate - delta))
        return sum(count * math.log(max(chance, 1e-300)) for count, chance in parts if count)

    for _ in range(200):
        third = (high - low) / 3
        if loglikelihood(low + third) < loglikelihood(high - third):
            low += third
        else:
            high -= third
    return (low + high) / 2


@pytest.mark.parametrize(
    ("right", "lost", "gained", "wrong"), [(36, 2, 12, 0), (10, 3, 4, 20), (0, 5, 0, 7), (30, 1, 1, 8)]
)
def test_the_ends_of_tangos_interval_are_where_the_score_test_starts_to_reject(
    right: int, lost: int, gained: int, wrong: int
) -> None:
    paired = Paired(right, lost, gained, wrong)
    found, n = tango(paired), paired.n
    assert found is not None
    assert found.rate == (gained - lost) / n
    for end, sign in ((found.low, 1), (found.high, -1)):
        rate = likeliest(gained, lost, n, end)
        variance = (2 * rate + end - end**2) / n
        assert (found.rate - end) / math.sqrt(variance) == pytest.approx(sign * Z, abs=1e-3)


def test_tangos_interval_turns_with_its_sides_and_is_never_empty() -> None:
    one, other = tango(Paired(20, 3, 9, 8)), tango(Paired(20, 9, 3, 8))
    assert one is not None
    assert other is not None
    assert (one.rate, one.low, one.high) == pytest.approx((-other.rate, -other.high, -other.low))
    none = tango(Paired(30, 0, 0, 10))
    assert none is not None
    assert none.low < 0 == none.rate < none.high
    assert none.high == pytest.approx(Z**2 / (40 + Z**2))  # the score interval without any flip
    assert tango(Paired()) is None


@pytest.mark.parametrize(("gain", "loss"), [(0.05, 0.05), (0.2, 0.05), (0.02, 0.1)])
def test_tangos_interval_covers_as_often_as_it_says(gain: float, loss: float) -> None:
    def drawn(rng: random.Random) -> RateDifference | None:
        draws = [rng.random() for _ in range(40)]
        gained = sum(draw < gain for draw in draws)
        lost = sum(gain <= draw < gain + loss for draw in draws)
        return tango(Paired(40 - gained - lost, lost, gained, 0))

    assert 0.93 <= covered(1_000, gain - loss, drawn) <= 0.985
