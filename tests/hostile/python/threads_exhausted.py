# outcome: limit processes
# item: 41
# plain: skip
# limits: wall=30 processes=16
# note: threads
# delta: kind='RuntimeError'
import _thread
import time

kind = "none"
try:
    for _ in range(10_000):
        _thread.start_new_thread(time.sleep, (30,))
except RuntimeError as error:
    kind = type(error).__name__
print(kind, flush=True)
