"""Watch the processor."""

import ctypes

from outside import syscall

attributes = ctypes.create_string_buffer((1).to_bytes(4, "little") + (112).to_bytes(4, "little"), 112)
syscall("perf_event_open", attributes, 0, -1, -1, 0)
