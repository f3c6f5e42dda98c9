# outcome: limit bytes
# item: 35
# limits: trace_bytes=100000
# plain: skip
# delta: n=5
words = ["word" * 20] * 20
n = 0
while True:
    n += 1
    words.append(n)
