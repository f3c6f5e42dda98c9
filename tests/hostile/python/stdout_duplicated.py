# outcome: returned
# item: 28
# delta: after=1
import os

print("first", flush=True)
copy = os.dup(1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
print("swallowed", flush=True)
os.dup2(copy, 1)
after = 1
print("back")
