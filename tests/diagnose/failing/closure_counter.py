"""A closure changes a name of the function around it."""


def counted():
    count = 0

    def more():
        nonlocal count
        count += 2  # <- writer

    more()
    return count


def test_it():
    assert counted() == 1
