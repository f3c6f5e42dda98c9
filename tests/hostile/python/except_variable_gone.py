# outcome: returned
# item: 25
# delta: e=ValueError('x')
# gone: e
# delta: left=False
try:
    raise ValueError("x")
except ValueError as e:
    kept = str(e)
left = "e" in globals()
print(kept, left)
