# outcome: returned
# item: 36
# delta: after='caught'
try:
    block = bytearray(1 << 62)
except MemoryError:
    after = "caught"
print(after)
