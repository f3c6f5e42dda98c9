# outcome: raised RuntimeError
# item: 25
# item: 22
# delta: it=<list_iterator>
def g():
    it = iter([])
    yield next(it)


list(g())
