"""A sum starts at the wrong number: the loop is one link of the history."""


def total(numbers):
    result = 1
    for number in numbers:
        result += number  # <- writer
    return result


def test_it():
    assert total([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]) == 78
