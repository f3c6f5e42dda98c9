# outcome: returned
# twice: same
# item: 52
# also: 3.12 3.13
# delta: roll=[2, 5, 1, 3, 1]
import random

random.seed(1)
roll = [random.randint(1, 6) for _ in range(5)]
print(roll)
