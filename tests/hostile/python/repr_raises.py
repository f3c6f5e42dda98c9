# outcome: returned
# item: 1
# delta: x=Spiky#1(n=1)
# delta: x=Spiky#1(n=2)
class Spiky:
    def __init__(self):
        self.n = 1

    def __repr__(self):
        raise RuntimeError("nobody asked")

    __str__ = __repr__


x = Spiky()
x.n = 2
print(x.n)
