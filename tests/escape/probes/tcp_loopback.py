"""Connect to a server that the host runs on its loopback."""

import socket

from outside import PORT, attempt


def connect():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as outside:
        outside.settimeout(0.5)
        outside.connect(("127.0.0.1", int(PORT)))
        return "connected"


attempt(connect)
