# outcome: returned
# item: 17
# delta: n=2
import sys


def f():
    x = []
    n = sys.getrefcount(x)
    print(n)


f()
