# outcome: raised ZeroDivisionError
# item: 25
# arg: raise ZeroDivisionError('division by zero')
# delta: seen='caught'
def f():
    try:
        1 / 0
    except ZeroDivisionError:
        seen = "caught"
        raise


f()
