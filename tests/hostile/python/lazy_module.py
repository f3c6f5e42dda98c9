# outcome: returned
# item: 2
# delta: m=Lazy#1()
import types


class Lazy(types.ModuleType):
    def __getattribute__(self, name):
        print("asked for", name)
        return super().__getattribute__(name)


m = Lazy("lazy")
print("imported")
