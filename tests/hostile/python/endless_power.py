# outcome: limit time
# item: 33
# limits: wall=1
# plain: skip
# delta: before=1
before = 1
big = 10**10**8
