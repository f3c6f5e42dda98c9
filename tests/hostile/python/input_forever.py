# outcome: returned
# item: 42
# delta: n=0
import sys

n = 0
for line in sys.stdin:
    n += 1
tty = sys.stdin.isatty()
print(n, tty)
