"""The same, by version 6."""

import socket

from outside import PORT, attempt


def connect():
    with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as outside:
        outside.settimeout(0.5)
        outside.connect(("::1", int(PORT)))
        return "connected"


attempt(connect)
