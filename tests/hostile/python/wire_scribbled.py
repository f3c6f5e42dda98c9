# outcome: returned
# item: 28
# item: 29
# delta: before=1
# delta: after=2
import ctypes

before = 1
with open("/proc/self/maps") as file:
    spans = [row.split()[0] for row in file if " rw-s " in row]
for span in spans:
    start = int(span.split("-")[0], 16)
    ctypes.memset(start + 8, 0x7F, 8)
after = 2
print("scribbled")
