# outcome: returned
# item: 41
# delta: kind='refused'
import mmap

try:
    block = mmap.mmap(-1, 1 << 46)
    kind = "granted"
except (OSError, ValueError, MemoryError):
    kind = "refused"
print(kind)
