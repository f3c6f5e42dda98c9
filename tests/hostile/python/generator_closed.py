# outcome: returned
# item: 22
# also: 3.12 3.13
# arg: yield 1
# delta: log=['open', 'closed']
log = []


def g():
    log.append("open")
    try:
        yield 1
    finally:
        log.append("closed")


it = g()
first = next(it)
it.close()
print(first, log)
