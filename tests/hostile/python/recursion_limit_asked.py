# outcome[python]: tampered
# outcome: returned
# item: 20
# item: 29
# delta: limit=1000
# delta: low=60
import sys

limit = sys.getrecursionlimit()
sys.setrecursionlimit(60)
low = sys.getrecursionlimit()


def down(n):
    return n if n == 0 else down(n - 1)


print(limit, low, down(40))
