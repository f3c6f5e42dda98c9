# outcome: limit memory
# item: 36
# limits: wall=30 memory=134217728
# plain: skip
# also: 3.12 3.13
# delta: before=1
before = 1
hoard = []
while True:
    hoard.append(bytearray(16 << 20))
