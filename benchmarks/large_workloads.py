"""Programs whose values grow large, for large_values.py; this file is the recorded program."""

from __future__ import annotations


def append(n):
    xs = []
    for i in range(n):
        xs.append(i)  # noqa: PERF402 - the loop is what is measured
    return len(xs)


def insert(n):
    squares = {}
    for i in range(n):
        squares[i] = i * i
    return len(squares)


def update(n):
    counts = dict.fromkeys(range(1000), 0)
    for i in range(n):
        counts[i * 7919 % 1000] = i
    return len(counts)


def grid(n):
    rows = [[0] * 1000 for _ in range(1000)]
    for i in range(n):
        rows[i * 7919 % 1000][i % 1000] = i
    return len(rows)
