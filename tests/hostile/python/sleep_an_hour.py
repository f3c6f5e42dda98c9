# outcome: limit time
# item: 43
# limits: wall=1
# plain: skip
# delta: before=1
import time

before = 1
time.sleep(3600)
