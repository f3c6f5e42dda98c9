# outcome: returned
# item: 1
# delta: x=Odd#1(n=3)
class Odd:
    def __repr__(self):
        return 42


x = Odd()
x.n = 3
print("still here")
