# outcome: returned
# item: 2
# delta: xs=[Prickly#1(n=1), Prickly#2(n=2)]
# delta: xs=[Prickly#2(n=2), Prickly#1(n=1)]
class Prickly:
    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        raise RuntimeError("compared")

    __lt__ = __gt__ = __ne__ = __eq__
    __hash__ = None


xs = [Prickly(1), Prickly(2)]
xs.reverse()
print(xs[0].n)
