# outcome: returned
# item: 28
# also: 3.12 3.13
# delta: before=1
# delta: after=2
import os

before = 1
os.closerange(3, 4096)
after = 2
print(after)
