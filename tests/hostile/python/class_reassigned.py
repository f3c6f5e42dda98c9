# outcome: returned
# item: 2
# series: x = Cat#1(n=1) | Dog#1(n=1) | Dog#1(n=2)
class Cat:
    def __init__(self):
        self.n = 1


class Dog:
    pass


x = Cat()
x.__class__ = Dog
x.n = 2
print(type(x).__name__)
