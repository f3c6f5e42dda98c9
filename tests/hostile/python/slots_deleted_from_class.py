# outcome: returned
# item: 2
# delta: x=Slotted#1(a=1, b=2)
class Slotted:
    __slots__ = ("a", "b")


class Trap:
    def __get__(self, obj, cls):
        print("descriptor called")
        return 666


x = Slotted()
x.a = 1
Slotted.a = Trap()
x.b = 2
print(x.b)
