"""Send packets of our own making."""

import socket

from outside import attempt


def connect():
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, 1) as outside:
        outside.settimeout(0.5)
        outside.sendto(b"\x08\0\xf7\xff\0\0\0\0", ("127.0.0.1", 0))
        return "connected"


attempt(connect)
