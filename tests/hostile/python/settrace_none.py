# outcome: returned
# outcome[3.11]: tampered
# item: 18
# also: 3.12 3.13
# delta: before=1
# delta[3.12 3.13]: after=2
# note[3.12 3.13]: settrace
import sys

before = 1
sys.settrace(None)
after = before + 1
print(after)
