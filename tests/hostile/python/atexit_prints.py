# outcome: returned
# item: 30
# also: 3.12 3.13
# delta: after=1
import atexit

atexit.register(print, "at exit")
after = 1
print("main")
