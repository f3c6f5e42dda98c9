# outcome: returned
# item: 29
# delta: x=1
# delta: seen={'x': 1}
import sys


def f():
    x = 1
    seen = dict(sys._getframe().f_locals)
    return seen


print(f())
