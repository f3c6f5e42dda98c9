# outcome: returned
# item: 22
# arg: raise ValueError('in')
# arg: yield 'saved'
# delta: b='saved'
def g():
    try:
        yield 1
    except ValueError as error:
        caught = str(error)
        yield "saved"


it = g()
a = next(it)
b = it.throw(ValueError("in"))
print(a, b)
