# outcome: limit steps
# item: 34
# limits: steps=2000
# plain: skip
# also: 3.12 3.13
# delta: n=500
# steps: == 2000
n = 0
while True:
    n += 1
