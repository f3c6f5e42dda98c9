"""The exception is raised three calls below the test, by a value that the test computed."""


def check(n):
    if n < 0:
        raise ValueError(n)


def middle(n):
    check(n)


def test_it():
    n = 3 - 5  # <- writer
    middle(n)
