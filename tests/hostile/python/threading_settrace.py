# outcome: returned
# item: 18
# delta: before=1
# delta: after=2
import threading


def spy(frame, event, arg):
    return spy


before = 1
threading.settrace(spy)
threading.settrace(None)
after = before + 1
print(after)
