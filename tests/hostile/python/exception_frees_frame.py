# outcome: returned
# item: 17
# item: 25
# arg: raise ValueError('x')
class Loud:
    def __del__(self):
        print("dropped")


def f():
    thing = Loud()
    raise ValueError("x")


def work():
    try:
        f()
    except ValueError:
        print("caught")
    print("after")


work()
