# outcome: limit steps
# outcome[3.11]: limit time
# item: 34
# limits: wall=1 steps=3000
# plain: skip
# also: 3.12 3.13
# delta: before=1
before = 1
while True: pass
