"""A property computes a wrong value."""


class Box:
    def __init__(self, side):
        self.side = side

    @property
    def volume(self):
        return self.side**2  # <- writer


def test_it():
    box = Box(3)
    assert box.volume == 27
