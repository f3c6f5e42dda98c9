# outcome: returned
# item: 2
# also: 3.12 3.13
# delta: x=Closed#1(secret=5)
# delta: seen=5
class Closed:
    def __init__(self):
        object.__setattr__(self, "secret", 5)

    def __getattribute__(self, name):
        raise RuntimeError(f"{name} was looked up")

    def __getattr__(self, name):
        raise RuntimeError(f"{name} was looked up again")


x = Closed()
seen = object.__getattribute__(x, "secret")
print(seen)
