"""Hold or regain a capability."""

import ctypes

from outside import escaped, libc

with open("/proc/self/status") as file:
    for line in file:
        if line.startswith("Cap") and int(line.split()[1], 16):
            escaped(line)
header = (0x20080522).to_bytes(4, "little") + bytes(4)
if libc.capset(header, b"\xff\xff\xff\xff" * 3 + bytes(12)) == 0:
    escaped("capset")
if libc.prctl(47, 2, 21, 0, 0) == 0:
    escaped("ambient")
