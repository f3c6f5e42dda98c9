# outcome: returned
# item: 52
# hidden: random
# delta: ok=True
import random

x = random.random()
ok = 0 <= x < 1
print(ok)
