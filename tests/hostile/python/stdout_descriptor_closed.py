# outcome: exited 120
# item: 28
# delta: before=1
# delta: after=2
import os

before = 1
os.close(1)
print("lost")
after = 2
