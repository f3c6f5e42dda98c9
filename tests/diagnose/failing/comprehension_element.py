"""One element of a comprehension comes from a call that is wrong."""


def square(n):
    result = n * n if n != 2 else 5  # <- writer
    return result


def test_it():
    assert [square(n) for n in range(4)] == [0, 1, 4, 9]
