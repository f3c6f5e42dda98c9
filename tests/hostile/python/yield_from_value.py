# outcome: returned
# item: 22
# also: 3.12 3.13
# arg: return 'result'
# delta: got='result'
# delta: out=[1, 2, 'result']
def inner():
    yield 1
    yield 2
    return "result"


def outer():
    got = yield from inner()
    yield got


out = list(outer())
print(out)
