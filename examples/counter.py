"""A closure: two functions share one cell, and outlive the call that made it."""


def counter(start):
    n = start

    def up(by=1):
        nonlocal n
        n += by
        return n

    def reset():
        nonlocal n
        n = start

    return up, reset


up, reset = counter(10)
up()
up(5)
reset()
print(up())
