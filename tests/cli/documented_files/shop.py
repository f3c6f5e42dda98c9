def price(unit, n):
    return unit * n


def total(counts):
    return sum(price(4, n) for n in counts)
