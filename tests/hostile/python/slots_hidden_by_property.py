# outcome: returned
# item: 2
# delta: x=Slotted#1(a=1)
# delta: x=Slotted#1(a=1, b=2)
class Slotted:
    __slots__ = ("a", "b")

    def __getattribute__(self, name):
        raise RuntimeError(name)


x = Slotted()
x.a = 1
x.b = 2
print("set")
