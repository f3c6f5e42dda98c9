# outcome: returned
# item: 17
# arg: return Loud#1(n=1)
class Loud:
    def __init__(self, n):
        self.n = n

    def __del__(self):
        print("dropped", self.n)


def f():
    return Loud(1)


f()
print("after")
