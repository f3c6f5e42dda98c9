# outcome: returned
# item: 26
# series: total = 0 | 1 | 1 | 3 | 3
total = 0


def add(n):
    global total
    total += n


add(1)
add(2)
print(total)
