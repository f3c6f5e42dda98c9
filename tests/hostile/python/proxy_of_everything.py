# outcome: returned
# item: 2
# delta: p=Proxy#1(target=[1])
# delta: p=Proxy#1(target=[1, 2])
class Proxy:
    def __init__(self, target):
        object.__setattr__(self, "target", target)

    def __getattr__(self, name):
        return getattr(object.__getattribute__(self, "target"), name)

    def __setattr__(self, name, value):
        raise AttributeError(name)

    @property
    def __class__(self):
        return list

    def __iter__(self):
        raise RuntimeError("iterated")


p = Proxy([1])
p.append(2)
print(isinstance(p, list))
