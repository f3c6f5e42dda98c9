# outcome: limit steps
# item: 34
# limits: steps=3000
# plain: skip
# delta: before=1
before = 1
while True: pass
