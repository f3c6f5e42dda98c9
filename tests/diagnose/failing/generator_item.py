"""A generator yields a wrong item."""


def odds(stop):
    n = 1
    while n < stop:
        yield n + 1  # <- writer
        n += 2


def test_it():
    assert list(odds(2)) == [1]
