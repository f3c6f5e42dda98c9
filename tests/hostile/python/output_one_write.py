# outcome: limit output
# item: 39
# limits: wall=30 output=20000
# plain: skip
# delta: before=1
import sys

before = 1
sys.stdout.write("x" * 5_000_000)
