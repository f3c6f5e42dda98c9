# outcome: returned
# item: 39
# delta: n=6
import sys

n = sys.stdout.write("a\0b\0\0c")
