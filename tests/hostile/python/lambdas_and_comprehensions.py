# outcome: returned
# item: 26
# also: 3.12 3.13
# delta: squares=[0, 1, 4]
# delta: d={0: 'a', 1: 'b'}
# delta: s={0, 1}
# delta: total=10
# delta: nested=[[0, 1], [0, 1]]
# arg: return 12
double = lambda v: v * 2
squares = [i * i for i in range(3)]
d = {i: c for i, c in enumerate("ab")}
s = {i % 2 for i in range(5)}
total = sum(i for i in range(5))
nested = [[j for j in range(2)] for i in range(2)]
r = double(6)
print(squares, d, total, nested, r)
