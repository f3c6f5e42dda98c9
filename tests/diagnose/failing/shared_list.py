"""Two names are one list: a change through the second shows in the first."""


def test_it():
    first = [1, 2]
    second = first
    second.append(3)  # <- writer
    size = len(second)
    assert first == [1, 2]
    assert size == 3
