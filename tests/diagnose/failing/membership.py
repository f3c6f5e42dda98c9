"""A list lacks a value: the last change of the list is blamed."""


def names():
    found = ["a", "b"]
    found.remove("b")  # <- writer
    return found


def test_it():
    assert "b" in names()
