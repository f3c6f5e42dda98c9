# outcome: returned
# item: 1
# also: 3.12 3.13
# delta: x=Bomb#1(fuse=10)
import os


class Bomb:
    def __repr__(self):
        os._exit(77)


x = Bomb()
x.fuse = 10
print("not defused, only not asked")
