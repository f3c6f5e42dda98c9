# outcome: returned
# item: 14
# item: 17
# series: x = Thing#1(n=0) | None | Thing#2(n=1) | None | Thing#3(n=2) | None
class Thing:
    def __init__(self, n):
        self.n = n


def work():
    for n in range(3):
        x = Thing(n)
        x = None


work()
print("done")
