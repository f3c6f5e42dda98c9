# outcome: returned
# item: 19
# python: 3.12+
# also: 3.12 3.13
# delta: seen=3
# delta: after=2
import sys

monitoring = sys.monitoring
seen = 0


def f():
    return 1


def started(code, offset):
    global seen
    if code is f.__code__:
        seen += 1


monitoring.use_tool_id(monitoring.PROFILER_ID, "mine")
monitoring.register_callback(monitoring.PROFILER_ID, monitoring.events.PY_START, started)
monitoring.set_events(monitoring.PROFILER_ID, monitoring.events.PY_START)
f()
f()
f()
monitoring.set_events(monitoring.PROFILER_ID, 0)
monitoring.free_tool_id(monitoring.PROFILER_ID)
after = 2
print(seen)
