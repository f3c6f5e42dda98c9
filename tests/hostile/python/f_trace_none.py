# outcome: returned
# item: 18
# also: 3.12 3.13
# delta: before=1
# delta: after=2
import sys

before = 1
sys._getframe().f_trace = None
sys._getframe().f_trace_lines = True
after = before + 1
print(after)
