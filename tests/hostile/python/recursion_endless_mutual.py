# outcome: limit steps
# item: 34
# limits: wall=30 steps=3000
# plain: skip
# delta: n=200
import sys

sys.setrecursionlimit(10**9)


def ping(n):
    return pong(n + 1)


def pong(n):
    return ping(n + 1)


ping(0)
