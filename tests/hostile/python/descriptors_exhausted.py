# outcome: returned
# item: 41
# plain: skip
# delta: code='EMFILE'
import errno
import os

held = []
try:
    while len(held) < 100_000:
        held.extend(map(os.dup, [0] * 200))
    code = "none"
except OSError as error:
    code = errno.errorcode[error.errno]
for fd in held:
    os.close(fd)
    break
print(code)
