# outcome: returned
# item: 2
# delta: x=Child#1(n=1)
class Meta(type):
    def mro(cls):
        return [cls, object]


class Child(metaclass=Meta):
    __module__ = None
    __qualname__ = "a.b.c"


x = Child()
x.n = 1
Child.__bases__[0]
print(x.n)
