# outcome: raised Nasty
# item: 25
# item: 1
# arg: raise Nasty(1, extra=2)
class Nasty(Exception):
    def __str__(self):
        raise RuntimeError("asked for its text")

    __repr__ = __str__

    @property
    def args(self):
        raise RuntimeError("asked for its arguments")


e = Nasty(1)
e.extra = 2
raise e
