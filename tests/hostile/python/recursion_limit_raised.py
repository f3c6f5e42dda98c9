# outcome: returned
# item: 21
# also: 3.12 3.13
# delta: answer=5000
import sys

sys.setrecursionlimit(10**6)


def down(n):
    if n == 0:
        return 0
    return 1 + down(n - 1)


answer = down(5_000)
print(answer)
