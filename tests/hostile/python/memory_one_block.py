# outcome: limit memory
# item: 36
# limits: wall=30 memory=134217728
# plain: skip
# delta: before=1
before = 1
block = bytearray(b"x") * (1 << 30)
