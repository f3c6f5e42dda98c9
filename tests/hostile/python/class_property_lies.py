# outcome: returned
# item: 2
# delta: x=Liar#1(n=1)
class Liar:
    @property
    def __class__(self):
        print("asked for its class")
        return int


x = Liar()
x.n = 1
print(type(x).__name__)
