"""Ask a cloud who we are."""

import socket

from outside import attempt


def connect():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as outside:
        outside.settimeout(0.5)
        outside.connect(("169.254.169.254", 80))
        return "connected"


attempt(connect)
