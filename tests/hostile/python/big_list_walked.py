# outcome: returned
# item: 8
# delta: total=499500
xs = list(range(200_000))
total = 0
for i in range(1000):
    total += xs[i]
print(total)
