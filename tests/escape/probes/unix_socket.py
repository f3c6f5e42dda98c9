"""Connect to a socket that lies in the host's file system."""

import socket

from outside import UNIX, attempt


def connect():
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as outside:
        outside.settimeout(0.5)
        outside.connect(UNIX)
        return "connected"


attempt(connect)
