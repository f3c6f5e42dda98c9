# outcome: killed SIGSEGV
# item: 32
# also: 3.12 3.13
# delta: before=1
import ctypes

before = 1
ctypes.string_at(0)
