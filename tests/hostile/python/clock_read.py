# outcome: returned
# item: 52
# twice: nondeterministic
# delta: ok=True
import time

a = time.time_ns()
b = time.monotonic_ns()
ok = a > 10**18 and b >= 0
print(ok)
