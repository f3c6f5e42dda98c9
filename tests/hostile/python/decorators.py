# outcome: returned
# item: 26
# also: 3.12 3.13
# delta: calls=['outer', 'inner']
# arg: return 9
calls = []


def mark(name):
    def wrap(f):
        def inner(*args, **kwargs):
            calls.append(name)
            return f(*args, **kwargs)

        return inner

    return wrap


@mark("outer")
@mark("inner")
def add(a, *, b):
    return a + b


r = add(4, b=5)
print(r, calls)
