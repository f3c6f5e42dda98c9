# outcome: returned
# item: 1
# series: total = 0 | 2
class Counting:
    def __init__(self):
        self.calls = 0

    def __repr__(self):
        self.calls += 1
        return f"Counting({self.calls})"


x = Counting()
total = 0
y = repr(x), repr(x)
total = x.calls
print(y, total)
