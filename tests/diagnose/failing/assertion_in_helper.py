"""A helper of the test asserts: the history goes through its parameter."""


def halve(n):
    return n // 2  # <- writer


def check(found, wanted):
    assert found == wanted


def test_it():
    check(halve(5), 2.5)
