def inner(n):
    got = yield n
    return [got]


def outer():
    a = yield from inner(1)
    b = yield from inner(2)
    return a + b


g = outer()
out = [next(g)]
try:
    out.append(g.send("x"))
    g.send("y")
except StopIteration as stop:
    out.append(stop.value)
h = inner(0)
next(h)
h.close()
