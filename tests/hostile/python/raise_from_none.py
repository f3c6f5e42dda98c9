# outcome: raised RuntimeError
# item: 25
# arg: raise RuntimeError('alone')
def f():
    try:
        {}["k"]
    except KeyError:
        raise RuntimeError("alone") from None


f()
