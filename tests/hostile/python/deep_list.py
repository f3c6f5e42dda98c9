# outcome: returned
# item: 6
# also: 3.12 3.13
# delta: depth=100000
from collections import deque
from itertools import repeat
from operator import setitem

cells = list(map(list, repeat([None], 100_000)))
deque(map(setitem, cells, repeat(0), cells[1:]), 0)
deep = cells[0]
depth = len(cells)
del cells
print(depth, len(deep))
