# outcome: returned
# item: 52
# item: 14
# twice: same
# delta: n=3
class Thing:
    def __init__(self, n):
        self.n = n


things = {Thing(0), Thing(1), Thing(2)}
n = len(things)
print(n)
