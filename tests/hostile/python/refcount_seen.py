# outcome: returned
# item: 17
# delta[native]: n=2
# perturbed[3.11 3.12 python]: reading the locals of a frame makes a snapshot that holds them
import sys


def f():
    x = []
    n = sys.getrefcount(x)
    print(n)


f()
