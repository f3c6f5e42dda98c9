# outcome: returned
# item: 28
# delta: before=1
# delta: after=2
import os

before = 1
for fd in range(3, 256):
    try:
        os.ftruncate(fd, 0)
    except OSError:
        pass
after = 2
print(after)
