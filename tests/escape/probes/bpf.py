"""Load a program into the kernel."""

from outside import syscall

syscall("bpf", 0, bytes(120), 120)
syscall("bpf", 5, bytes(120), 120)
