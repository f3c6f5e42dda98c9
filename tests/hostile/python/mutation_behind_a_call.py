# outcome: returned
# item: 26
# delta: xs=[3, 2, 1]
# delta: xs=[1, 2, 3]
# delta: ys=[2, 3, 1]
import random


def work():
    xs = [3, 2, 1]
    xs.sort()
    ys = [1, 2, 3]
    random.Random(1).shuffle(ys)
    return xs, ys


print(work())
