# outcome: raised KeyError
# item: 25
# also: 3.12 3.13
# arg: raise ValueError('first')
# arg: raise KeyError('second', __context__=ValueError('first'))
def f():
    try:
        raise ValueError("first")
    finally:
        raise KeyError("second")


f()
