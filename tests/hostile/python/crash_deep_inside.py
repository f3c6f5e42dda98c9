# outcome: killed SIGSEGV
# item: 32
# delta: n=3
# delta: local=['kept']
import ctypes


def down(n):
    if n == 3:
        local = ["kept"]
        ctypes.string_at(1)
    down(n + 1)


down(0)
