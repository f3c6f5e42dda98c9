# outcome: returned
# item: 29
# also: 3.12 3.13
# delta[native]: n=1
# perturbed[3.11 python]: sys.settrace leaves a snapshot in the frame that holds its locals
import gc


class Thing:
    pass


def count(x):
    return len([r for r in gc.get_referrers(x) if type(r) is dict])


x = Thing()
n = count(x)
print(n)
