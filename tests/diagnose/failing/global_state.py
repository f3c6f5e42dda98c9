"""A module-level list is changed by a function that an earlier call executed."""

SEEN = []


def visit(name):
    SEEN.append(name.upper())  # <- writer


def test_it():
    visit("a")
    names = list(SEEN)
    assert names == ["a"]
