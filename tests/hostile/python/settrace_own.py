# outcome: returned
# outcome[3.11]: tampered
# item: 18
# also: 3.12 3.13
# delta: before=1
# delta[3.12 3.13]: y=9
# note[3.12 3.13]: settrace
import sys

events = []


def spy(frame, event, arg):
    events.append(event)
    return spy


def f(x):
    y = x * x
    return y


before = 1
sys.settrace(spy)
f(3)
sys.settrace(None)
print(events)
