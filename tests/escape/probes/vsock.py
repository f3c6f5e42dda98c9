"""Call the machine under the machine, which network namespaces do not hide."""

import socket

from outside import attempt


def connect():
    with socket.socket(getattr(socket, "AF_VSOCK", 40), socket.SOCK_STREAM) as outside:
        outside.settimeout(0.5)
        outside.connect((2, 1024))
        return "connected"


attempt(connect)
