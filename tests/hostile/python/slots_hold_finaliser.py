# outcome: returned
# item: 17
# perturbed[python]: a slotted object without weak references is held, to tell it from a later one at its address
# delta: after=1
class Loud:
    def __del__(self):
        print("dropped")


class Holder:
    __slots__ = ("held",)

    def __init__(self):
        self.held = Loud()


def work():
    holder = Holder()
    holder = None
    after = 1
    print("after")


work()
