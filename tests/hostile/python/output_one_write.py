# outcome: limit output
# item: 39
# limits: output=1048576
# plain: skip
# delta: before=1
import sys

before = 1
sys.stdout.write("x" * 50_000_000)
