# outcome: limit output
# item: 39
# limits: wall=30 output=20000
# plain: skip
# delta: before=1
import os

before = 1
while True:
    os.write(1, b"\0" * 4096)
