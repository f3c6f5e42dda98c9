"""A constructor writes a wrong field."""


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = x  # <- writer


def test_it():
    point = Point(1, 2)
    assert point.y == 2
