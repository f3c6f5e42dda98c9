# outcome: returned
# item: 9
# also: 3.12 3.13
# delta: r=range(0, 1000000000000)
# delta: back=range(10, 0, -3)
# delta: c=<count>
# delta: m=<map>
# delta: g=<generator g>
# delta: first=(0, 0, 0)
import itertools


def g():
    n = 0
    while True:
        yield n
        n += 1


r = range(10**12)
back = range(10, 0, -3)
c = itertools.count()
m = map(abs, itertools.cycle([0, -1]))
g = g()
first = (next(c), next(m), next(g))
print(first, len(r))
