# outcome: tampered
# item: 19
# python: 3.12+
# also: 3.12 3.13
# delta: before=1
import sys

before = 1
events = sys.monitoring.events
for tool in range(6):
    for name in ("LINE", "PY_START", "PY_RETURN", "RAISE"):
        sys.monitoring.register_callback(tool, getattr(events, name), None)
after = before + 1
print(after)
