"""Open namespaces of our own, where we would be root."""

from outside import syscall

for flag in (0x10000000, 0x20000, 0x20000000, 0x40000000, 0x08000000, 0x04000000, 0x02000000, 0x10020000):
    syscall("unshare", flag)
