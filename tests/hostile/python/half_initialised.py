# outcome: returned
# item: 3
# delta: self=Pair#1(left=1)
# delta: self=Pair#1(left=1, right=2)
# delta: p=Pair#1(left=1, right=2)
class Pair:
    def __init__(self):
        self.left = 1
        self.right = 2

    def __repr__(self):
        return f"{self.left} {self.right}"


p = Pair()
print(p)
