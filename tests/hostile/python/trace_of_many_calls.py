# outcome: returned
# item: 35
# steps: >= 20000
# delta: total=12502500
total = 0


def add(n):
    return total + n


for i in range(5001):
    total = add(i)
print(total)
