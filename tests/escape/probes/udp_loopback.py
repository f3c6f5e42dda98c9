"""Send a datagram to the host."""

import socket

from outside import PORT, attempt


def connect():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outside:
        outside.settimeout(0.5)
        outside.sendto(b"here", ("127.0.0.1", int(PORT)))
        outside.connect(("127.0.0.1", int(PORT)))
        outside.send(b"here")
        outside.recv(10)
        return "connected"


attempt(connect)
