"""Ask the kernel about its network."""

import socket

from outside import attempt


def connect():
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW) as outside:
        outside.settimeout(0.5)
        outside.bind((0, 0))
        return "connected"


attempt(connect)
