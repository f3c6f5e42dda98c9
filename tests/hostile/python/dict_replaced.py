# outcome: returned
# item: 2
# delta: x=Box#1(a=1)
# delta: x=Box#1(b=2)
class Box:
    pass


x = Box()
x.a = 1
x.__dict__ = {"b": 2}
x.__dict__["not a name"] = 3
print(vars(x))
