# outcome: returned
# item: 17
# item: 22
# arg: yield 1
class Loud:
    def __del__(self):
        print("dropped")


def g():
    thing = Loud()
    yield 1
    print("leaving")


for x in g():
    print(x)
print("after")
