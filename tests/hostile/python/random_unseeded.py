# outcome: returned
# item: 52
# also: 3.12 3.13
# twice: nondeterministic
# delta: ok=True
import random

x = random.random()
ok = 0 <= x < 1
print(ok)
