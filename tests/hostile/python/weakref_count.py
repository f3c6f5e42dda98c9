# outcome: returned
# item: 17
# perturbed: an object is known again by a weak reference to it, and a program can count those
# delta: n=1
import weakref


class Thing:
    pass


x = Thing()
n = weakref.getweakrefcount(x)
print(n)
