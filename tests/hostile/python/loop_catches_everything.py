# outcome: limit steps
# item: 34
# limits: wall=30 steps=3000
# plain: skip
# delta: n=100
n = 0
while True:
    try:
        n += 1
    except BaseException:
        continue
    finally:
        pass
