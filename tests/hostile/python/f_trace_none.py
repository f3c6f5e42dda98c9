# outcome[3.11 python]: tampered
# outcome: returned
# item: 18
# also: 3.12 3.13
# delta: before=1
# delta[native]: after=2
# delta[3.12 3.13]: after=2
# lines[native]: <module> 9 11 12 13 14
import sys

before = 1
sys._getframe().f_trace = None
after = before + 1
print(after)
