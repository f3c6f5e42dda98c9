# outcome: tampered
# item: 19
# python: 3.12+
# also: 3.12 3.13
# delta: before=1
import sys

before = 1
for tool in range(6):
    sys.monitoring.free_tool_id(tool)
after = before + 1
print(after)
