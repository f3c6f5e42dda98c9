"""A name is false when it should be true."""


def is_even(n):
    return n % 2 == 1  # <- writer


def test_it():
    even = is_even(4)
    assert even
