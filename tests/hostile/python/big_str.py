# outcome: returned
# item: 8
# delta: s=...<str 30000000>
# delta: b=...<bytes 10000000>
# delta: n=30000000
s = "x" * 30_000_000
b = bytes(10_000_000)
n = len(s)
print(n)
