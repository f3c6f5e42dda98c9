# outcome: returned
# item: 2
# delta: d={Key#1(): 1}
class Key:
    def __hash__(self):
        return 7

    def __eq__(self, other):
        raise RuntimeError("compared with a stranger")


d = {Key(): 1}
print(len(d))
