# outcome: returned
# item: 28
# also: 3.12 3.13
# delta: before=1
# delta: after=2
import os

before = 1
for fd in range(3, 256):
    try:
        os.write(fd, b"\xff" * 64)
    except OSError:
        pass
after = 2
print(after)
