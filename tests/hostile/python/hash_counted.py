# outcome: returned
# item: 2
# delta: seen=2
class Key:
    hashed = 0

    def __hash__(self):
        Key.hashed += 1
        return 1

    def __eq__(self, other):
        return self is other


k = Key()
d = {k: "a"}
d[k] = "b"
seen = Key.hashed
print(seen)
