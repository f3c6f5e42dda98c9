# outcome: returned
# item: 30
# delta: after=1
import atexit

atexit.register(lambda: 1 / 0)
after = 1
print("main")
