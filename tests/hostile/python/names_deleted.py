# outcome: raised UnboundLocalError
# item: 26
# gone: x
# delta: y=1
def f():
    x = 1
    y = x
    del x
    return x


f()
