"""Call the kernel through the door of another architecture."""

import ctypes
import mmap
import platform

from outside import escaped, libc

if platform.machine() == "x86_64":
    # mov eax, 310 (unshare of i386); mov ebx, CLONE_NEWUSER; int 0x80; ret
    code = b"\x53\xb8\x36\x01\x00\x00\xbb\x00\x00\x00\x10\xcd\x80\x5b\xc3"
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    result = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
    print("refused:", result)
    if result >= 0:
        escaped("unshare by int 0x80")
    if libc.syscall(ctypes.c_long(0x40000000 | 272), ctypes.c_long(0x10000000)) >= 0:
        escaped("unshare by x32")
