# outcome: exited 4
# item: 30
# delta: x=1
import os

x = 1
print("never seen")
os._exit(4)
