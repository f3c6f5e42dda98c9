# outcome: returned
# item: 36
# limits: memory=268435456
# plain: skip
# delta: after='caught'
try:
    block = bytearray(1 << 42)
except MemoryError:
    after = "caught"
print(after)
