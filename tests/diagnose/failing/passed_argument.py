"""The test passes a wrong argument through two calls."""


def inner(n):
    return n


def outer(n):
    return inner(n)


def test_it():
    wanted = 2
    given = wanted + 2  # <- writer
    assert outer(given) == wanted
