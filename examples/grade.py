"""Decisions: an input for every path, also the one behind a number that no one would draw."""


def grade(points: int, bonus: int = 0) -> str:
    total = points + bonus
    if total < 0 or total > 100:
        raise ValueError("no such total")
    if total * 7 + points == 731:
        return "exactly"
    if total >= 50:
        return "passed"
    return "failed"
