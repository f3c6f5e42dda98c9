# outcome: limit time
# item: 34
# limits: wall=1
# plain: skip
# delta: n=2
import time

n = 0
while True:
    n += 1
    time.sleep(0.05)
