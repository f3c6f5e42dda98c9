# outcome: exited 0
# item: 30
# also: 3.12 3.13
# delta: x=1
import os

x = 1
print("flushed", flush=True)
os._exit(0)
