# outcome: returned
# item: 27
# delta: after=2
# delta: y=3
say = print
__builtins__ = {}


def f(x):
    y = x + 1
    return y


after = 2
f(after)
say("hollow")
