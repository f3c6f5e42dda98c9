# outcome: returned
# item: 17
# also: 3.12 3.13
# delta[native]: n=2
# perturbed[3.11 python]: sys.settrace leaves a snapshot in the frame that holds its locals
import sys


def f():
    x = []
    n = sys.getrefcount(x)
    print(n)


f()
