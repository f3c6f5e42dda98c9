"""A condition chooses the wrong branch, which writes a constant."""


def size(n):
    if n > 10:
        kind = "large"
    else:
        kind = "small"  # <- writer
    return kind


def test_it():
    assert size(10) == "large"
