"""Draws: how many throws it takes, as one trace, or as everything that could happen."""

import random


def throw(target):
    total = 0
    throws = 0
    while total < target:
        total += random.randint(1, 6)
        throws += 1
    return throws
