# outcome: returned
# item: 17
# series: left = 2 | 1 | 0
class Thing:
    def __init__(self, n):
        self.n = n

    def __del__(self):
        print("dropped", self.n)


def work():
    box = [Thing(1), Thing(2)]
    left = 2
    box.pop(0)
    left = 1
    box.clear()
    left = 0
    print("left", left)


work()
