# outcome: returned
# item: 28
# also: 3.12 3.13
# delta: before=1
# delta: after=2
import sys

before = 1
print("last words")
sys.stdout.close()
after = 2
