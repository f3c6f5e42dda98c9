# outcome: returned
# item: 26
# delta: a=[1, 2, 3, 4]
# delta: b=[1, 2, 3, 4]
# delta: box={'k': [1, 2, 3, 4]}
# same: b=a
a = [1, 2, 3]
b = a
box = {"k": b}
box["k"].append(4)
print(a, b)
