# outcome: returned
# item: 8
# delta: xs=...<list 2000000>
# delta: d=...<dict 100000>
# delta: last=-1
xs = list(range(2_000_000))
d = dict.fromkeys(range(100_000))
xs[-1] = -1
last = xs[-1]
print(last)
