# outcome: returned
# item: 22
# delta: out=['a0', 'b0', 'a1', 'b1', 'a2', 'b2']
def g(name):
    for i in range(3):
        yield f"{name}{i}"


out = []
a, b = g("a"), g("b")
for x, y in zip(a, b):
    out += [x, y]
print(out)
