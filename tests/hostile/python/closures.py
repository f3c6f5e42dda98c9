# outcome: returned
# item: 26
# series: n = 0 | 1 | 0 | 1 | 2 | 1 | 2
# delta: inc=<function inc>
def counter():
    n = 0

    def inc():
        nonlocal n
        n += 1
        return n

    inc()
    inc()
    return n


print(counter())
