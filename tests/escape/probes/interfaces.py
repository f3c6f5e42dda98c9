"""Find an interface that leads anywhere."""

import fcntl
import socket
import struct

from outside import escaped

with open("/proc/net/dev") as file:
    names = [line.split(":")[0].strip() for line in file.readlines()[2:]]
print(names)
if [name for name in names if name != "lo"]:
    escaped(names)
with socket.socket() as any_socket:
    for flags in (0, 0x41):
        try:
            fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh14x", b"lo", flags))
        except OSError as error:
            print("refused:", error)
        else:
            escaped("changed an interface")
