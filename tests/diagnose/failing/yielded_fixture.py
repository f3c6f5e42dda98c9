"""A fixture that yields hands over a wrong value."""


def limit():
    value = 10 // 3  # <- writer
    yield value


def test_it(limit):
    assert limit == 4
