"""A literal argument is handed on unchanged."""


def same(value):
    return value


def test_it():
    assert same("b") == "a"  # <- writer
