# outcome: returned
# item: 40
# limits: disk=4194304
# plain: skip
# delta: kind='OSError'
import os

try:
    with open("big", "wb", 0) as file:
        for _ in range(20):
            n = file.write(bytes(1 << 20))
except OSError as error:
    kind = type(error).__name__
os.remove("big")
print(kind)
