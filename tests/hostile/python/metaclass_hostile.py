# outcome: returned
# item: 2
# delta: Plain=<class Plain>
# delta: x=Plain#1(n=1)
class Meta(type):
    def __repr__(cls):
        raise RuntimeError("class printed")

    def __getattribute__(cls, name):
        if name == "__name__":
            raise RuntimeError("class asked for its name")
        return super().__getattribute__(name)

    def __instancecheck__(cls, other):
        raise RuntimeError("isinstance")

    def __eq__(cls, other):
        raise RuntimeError("class compared")

    __hash__ = type.__hash__


class Plain(metaclass=Meta):
    pass


x = Plain()
x.n = 1
print(x.n)
