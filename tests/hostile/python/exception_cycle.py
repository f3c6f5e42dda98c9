# outcome: returned
# item: 25
# item: 4
# delta: e=ValueError('x', me=...<ValueError 0>)
e = ValueError("x")
e.me = e
print(type(e.me).__name__)
