"""Amounts: whole numbers, fractions and units."""

GRAMS = {"g": 1, "kg": 1000, "mg": 0.001}


def greatest_divisor(a, b):
    """Return the greatest common divisor.

    >>> greatest_divisor(12, 18)
    6
    """
    while b:
        a, b = b, a % b
    return a


def reduce_fraction(numerator, denominator):
    """Return a fraction in lowest terms."""
    if denominator == 0:
        raise ZeroDivisionError("a fraction needs a denominator")
    divisor = greatest_divisor(abs(numerator), abs(denominator))
    sign = -1 if denominator < 0 else 1
    return sign * numerator // divisor, sign * denominator // divisor


def to_grams(amount, unit="g"):
    """Return an amount in grams."""
    if unit not in GRAMS:
        raise ValueError(f"unknown unit {unit!r}")
    return amount * GRAMS[unit]


def share(total, people):
    """Split a total into whole shares that differ by at most one."""
    base, rest = divmod(total, people)
    shares = []
    for person in range(people):
        shares.append(base + 1 if person < rest else base)
    return shares


def running_totals(amounts):
    """Yield the sum of the amounts so far."""
    total = 0
    for amount in amounts:
        total += amount
        yield total
