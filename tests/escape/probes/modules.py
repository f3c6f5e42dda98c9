"""Change the running kernel, or the next one."""

from outside import syscall

syscall("init_module", b"x", 1, b"")
syscall("kexec_load", 0, 0, None, 0)
syscall("reboot", 0xFEE1DEAD, 672274793, 0, None)
