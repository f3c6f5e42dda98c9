# outcome[3.11]: tampered
# outcome: returned
# item: 18
# also: 3.12 3.13
# lines[3.12 3.13]: <module> 8 10 11 12 13 14 15 16
# delta[3.12 3.13]: done=2
# delta: before=1
import sys

before = 1
sys._getframe().f_trace_lines = False
after = before + 1
print(after)
sys._getframe().f_trace_opcodes = True
done = after
print(done)
