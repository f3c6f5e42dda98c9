def fact(n):
    if n < 2:
        return 1
    r = fact(n - 1)
    return r * n
