# outcome: returned
# item: 18
# also: 3.12 3.13
# delta: before=1
# delta: after=2
# lines: <module> 7 9 10 11 12
import sys

before = 1
sys._getframe().f_trace = None
after = before + 1
print(after)
