# outcome: returned
# item: 2
# delta: s={Item#1(), Item#2()}
class Item:
    def __lt__(self, other):
        raise RuntimeError("sorted")

    def __repr__(self):
        raise RuntimeError("printed")


s = {Item(), Item()}
print(len(s))
