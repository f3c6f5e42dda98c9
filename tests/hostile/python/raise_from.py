# outcome: raised RuntimeError
# item: 25
# arg: raise RuntimeError('outer', __cause__=KeyError('k'))
def f():
    try:
        {}["k"]
    except KeyError as error:
        raise RuntimeError("outer") from error


f()
