# outcome: returned
# item: 2
# item: 15
# delta: w=Word#1('ab')
# delta: n=2
class Word(str):
    def __repr__(self):
        raise RuntimeError("printed")

    def encode(self, *args):
        raise RuntimeError("encoded")

    def __str__(self):
        raise RuntimeError("converted")


w = Word("ab")
n = len(w)
print(n)
