"""Turn the address layout's defences off, or on."""

from outside import syscall

syscall("personality", 0x0040000)
syscall("personality", 0x0400000)
