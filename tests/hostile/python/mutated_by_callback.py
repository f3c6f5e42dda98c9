# outcome: returned
# item: 2
# item: 26
# delta: xs=[1, 2, 3]
# delta: log=[3, 1, 2]
def work():
    xs = [3, 1, 2]
    log = []

    def key(v):
        log.append(v)
        return v

    xs.sort(key=key)
    return xs, log


print(work())
