# outcome: returned
# item: 29
# delta[native]: n=1
# perturbed[3.11 3.12 python]: reading the locals of a frame makes a snapshot that refers to them
import gc


class Thing:
    pass


def count(x):
    return len([r for r in gc.get_referrers(x) if type(r) is dict])


x = Thing()
n = count(x)
print(n)
