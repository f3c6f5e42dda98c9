# outcome: returned
# item: 28
# delta: after=1
import sys

print("before")
sys.stdout = None
print("nothing")
after = 1
