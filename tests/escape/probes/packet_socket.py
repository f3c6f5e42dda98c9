"""Read the wire itself."""

import socket

from outside import attempt


def connect():
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as outside:
        outside.settimeout(0.5)
        outside.bind(("lo", 0))
        return "connected"


attempt(connect)
