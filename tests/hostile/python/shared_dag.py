# outcome: returned
# item: 5
# also: 3.12 3.13
# delta: depth=25
x = []
depth = 0
while depth < 25:
    x = [x, x]
    depth += 1
y = x[0] is x[1]
print(depth, y)
