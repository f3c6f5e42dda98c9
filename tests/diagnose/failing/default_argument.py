"""A mutable default keeps what an earlier call put into it."""


def collect(item, items=[]):
    items.append(item)  # <- writer
    return items


def test_it():
    collect(1)
    assert collect(2) == [2]
