# outcome: returned
# item: 26
# also: 3.12 3.13
# lines: f 10 11 12 13 11 12 15 11 16 17 16 19 18
# delta: a=7
import contextlib


def f(n):
    a = 0
    for i in range(n):
        if i % 2 == 0:
            a += 1
        else:
            a += 5
    with contextlib.nullcontext():
        a += 1
    return (
        a
    )


def g(n):
    return f(n)


print(g(2))
