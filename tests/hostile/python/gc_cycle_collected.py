# outcome: returned
# item: 29
# item: 17
# delta: alive=False
import gc
import weakref

gc.disable()


class Node:
    pass


def work():
    a, b = Node(), Node()
    a.b, b.a = b, a
    return weakref.ref(a)


ref = work()
gc.collect()
alive = ref() is not None
print(alive)
