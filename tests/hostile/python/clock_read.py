# outcome: returned
# item: 52
# hidden: clock
# delta: ok=True
import time

a = time.time()
b = time.monotonic()
ok = a > 1e9 and b >= 0
print(ok)
