"""Every difference between interpreters, as a named boolean. No other guest module compares versions.

tests/recording/test_behavior.py proves each one on the current interpreter.
"""

import sys

_VERSION = sys.version_info[:2]

# PEP 669: events come through sys.monitoring, and the program's own sys.settrace does not touch them.
HAS_MONITORING = _VERSION >= (3, 12)

# PEP 709: list, set and dict comprehensions run in the frame around them; their variables show up there.
COMPREHENSIONS_INLINED = _VERSION >= (3, 12)

# A backward jump inside one line has no LINE event of its own; the guest makes the step from the JUMP event.
SAME_LINE_LOOPS_NEED_JUMPS = _VERSION >= (3, 12)

# `sys.settrace` called by the program replaces the recorder: the trace ends there, named `tampered`.
SETTRACE_REPLACES_RECORDER = _VERSION < (3, 12)

# Starting a thread raises an audit event (_thread.start_new_thread, or start_joinable_thread from 3.13 on).
THREAD_STARTS_ARE_AUDITED = _VERSION >= (3, 12)

# PEP 667: frame.f_locals is a live view; before it, a snapshot that keeps values alive (readable core only).
LOCALS_ARE_LIVE = _VERSION >= (3, 13)

# gh-128396: `f_locals` reads a comprehension's variable in the place of a closure's cell as a cell. Fixed in 3.13.3.
SHADOWED_CELLS_CRASH = (3, 13) <= sys.version_info[:3] < (3, 13, 3)

# A function's variable cannot be unbound from outside: a jump gives None to those that are, and none can be taken away.
LOCALS_STAY_BOUND = _VERSION >= (3, 12)

# `datetime.utcnow` warns of its end.
UTCNOW_IS_DEPRECATED = _VERSION >= (3, 12)

# The lowest bit of LOAD_ATTR's argument says whether a method is loaded; before, LOAD_METHOD does.
LOAD_ATTR_HAS_FLAG = _VERSION >= (3, 12)

# What a call calls lies below the place of its `self`; before, a method lies below its `self`, and a function above it.
CALLABLE_COMES_FIRST = _VERSION >= (3, 13)

# `stack_effect` counts the value that a generator is started with.
GENERATOR_START_IS_COUNTED = _VERSION >= (3, 13)
