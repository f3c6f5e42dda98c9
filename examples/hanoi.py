"""Recursion over lists that every frame shares."""


def move(n, source, target, spare):
    if n == 0:
        return 0
    moves = move(n - 1, source, spare, target)
    target.append(source.pop())
    return moves + 1 + move(n - 1, spare, target, source)


def solve(n):
    left, middle, right = list(range(n, 0, -1)), [], []
    moves = move(n, left, right, middle)
    return moves, right
