# outcome: returned
# item: 27
# delta: after=3
import sys

for name in ("os", "json", "time", "types", "struct", "mmap", "io", "collections", "builtins", "sys", "_thread"):
    sys.modules[name] = None
after = 1 + 2
print("unmoved")
