# outcome: returned
# item: 17
# also: 3.12 3.13
# delta: order=['made', 'dropped', 'after']
order = []


class Thing:
    def __del__(self):
        order.append("dropped")
        print("dropped")


def work():
    thing = Thing()
    order.append("made")
    thing = None
    order.append("after")


work()
print(order)
