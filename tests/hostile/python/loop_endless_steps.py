# outcome: limit steps
# item: 34
# limits: wall=30 steps=3000
# plain: skip
# also: 3.12 3.13
# delta: n=500
# steps: == 3000
n = 0
while True:
    n += 1
