def evens(limit):
    n = 0
    while n < limit:
        yield n
        n += 2


def total(limit):
    squares = [n * n for n in evens(limit)]
    return sum(squares)
