# outcome: returned
# item: 2
# delta: d=Fake#1({'a': 1})
# delta: d=Fake#1({'a': 1, 'b': 2})
class Fake(dict):
    def items(self):
        print("asked for items")
        return [("forged", 666)]

    keys = values = __iter__ = items


d = Fake(a=1)
dict.__setitem__(d, "b", 2)
print("untouched")
