# outcome: returned
# item: 28
# delta: after=1
import sys

sys.stdout.reconfigure(line_buffering=True, newline="\r\n", errors="replace")
print("line")
after = 1
