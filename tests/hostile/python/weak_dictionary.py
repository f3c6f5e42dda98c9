# outcome: returned
# item: 17
# series: n = 1 | 0
import weakref


class Thing:
    pass


def work():
    cache = weakref.WeakValueDictionary()
    thing = cache["k"] = Thing()
    n = len(cache)
    thing = None
    n = len(cache)
    print(n)


work()
