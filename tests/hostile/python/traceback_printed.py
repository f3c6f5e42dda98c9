# outcome: returned
# item: 29
# delta: n=2
import sys
import traceback


def f():
    raise ValueError("x")


try:
    f()
except ValueError:
    n = len(traceback.extract_tb(sys.exc_info()[2]))
    print([row.lineno for row in traceback.extract_tb(sys.exc_info()[2])], n)
