"""A check before the end returns too early."""


def grade(points):
    if points >= 50:
        return "pass"  # <- writer
    return "fail"


def test_it():
    points = 50
    assert grade(points) == "fail"
