# outcome: returned
# item: 25
# item: 17
# delta: after=1
import sys


class Bad:
    def __del__(self):
        raise ValueError("from del")


sys.unraisablehook = lambda args: print("unraisable", args.exc_type.__name__)
x = Bad()
del x
after = 1
print(after)
