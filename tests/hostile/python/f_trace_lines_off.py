# outcome: returned
# item: 18
# also: 3.12 3.13
# lines: <module> 6 8 9 10 11 12 13 14
# delta: done=2
import sys

before = 1
sys._getframe().f_trace_lines = False
after = before + 1
print(after)
sys._getframe().f_trace_opcodes = True
done = after
print(done)
