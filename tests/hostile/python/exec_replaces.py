# outcome: exited 6
# item: 30
# item: 47
# delta: before=1
import os
import sys

before = 1
print("before", flush=True)
os.execv(sys.executable, [sys.executable, "-S", "-c", "print('after'); raise SystemExit(6)"])
