# outcome: limit memory
# item: 36
# limits: memory=134217728
# plain: skip
# delta: before=1
before = 1
block = bytearray(1 << 40)
