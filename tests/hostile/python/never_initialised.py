# outcome: returned
# item: 3
# delta: p=Point#1()
# delta: q=Bare#2()
# delta: q=Bare#2(y=2)
class Point:
    def __init__(self):
        self.x = 1


class Bare:
    __slots__ = ("x", "y")


p = Point.__new__(Point)
q = object.__new__(Bare)
q.y = 2
print(hasattr(q, "x"))
