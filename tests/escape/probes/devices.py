"""Reach the host's disks, memory and log."""

import os

from outside import attempt, read

for name in ("kmsg", "mem", "kmem", "port", "sda", "vda", "nvme0n1", "kvm", "fuse", "net/tun", "vsock", "tty", "console", "ptmx", "pts/0", "loop-control"):
    attempt(os.open, f"/dev/{name}", os.O_RDWR)
