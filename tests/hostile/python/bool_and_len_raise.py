# outcome: returned
# item: 2
# delta: x=Empty#1(n=1)
class Empty:
    def __bool__(self):
        raise RuntimeError("tested")

    def __len__(self):
        raise RuntimeError("measured")

    def __iter__(self):
        raise RuntimeError("iterated")

    def __index__(self):
        raise RuntimeError("used as a number")


x = Empty()
x.n = 1
print(x.n)
