# outcome: returned
# item: 17
# delta: n=0
import weakref


class Thing:
    pass


x = Thing()
n = weakref.getweakrefcount(x)
print(n)
