# outcome: returned
# item: 18
# also: 3.12 3.13
# delta: calls=2
import sys

calls = 0


def spy(frame, event, arg):
    global calls
    if event == "call" and frame.f_code.co_name == "f":
        calls += 1


def f():
    return 1


sys.setprofile(spy)
f()
f()
sys.setprofile(None)
print(calls)
