# outcome: exited 5
# item: 30
# delta: after=1
import atexit
import os

atexit.register(os._exit, 5)
after = 1
print("main", flush=True)
