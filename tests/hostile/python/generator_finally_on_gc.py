# outcome: returned
# item: 22
# item: 17
# delta: log=['finally']
log = []


def g():
    try:
        yield 1
        yield 2
    finally:
        log.append("finally")
        print("finally")


def work():
    it = g()
    next(it)
    it = None
    print("after")


work()
print(log)
