# outcome: raised ValueError
# item: 25
# also: 3.12 3.13
# delta: before=1
import sys


def hook(kind, value, tb):
    print("hook saw", kind.__name__, value)


sys.excepthook = hook
before = 1
raise ValueError("x")
