# outcome: returned
# item: 18
# delta: before=1
# delta: after=2
import sys

before = 1
sys._getframe().f_trace_lines = False
after = before + 1
print(after)
sys._getframe().f_trace_opcodes = True
done = after
print(done)
