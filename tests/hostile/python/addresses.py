# outcome: returned
# item: 14
# also: 3.12 3.13
# delta: f=<function f>
# delta: anon=<function <lambda>>
# delta: o=<object>
# delta: t=Thing#1()
# delta: bound=<method go>
# delta: it=<list_iterator>
# delta: z=<zip>
# delta: n=<builtin len>
# delta: m=<module sys>
# delta: w=[<function f>, <class Thing>]
import sys as m


class Thing:
    def go(self):
        pass


def f():
    pass


anon = lambda: None
o = object()
t = Thing()
bound = t.go
it = iter([1])
z = zip([1], [2])
n = len
w = [f, Thing]
print(callable(anon))
