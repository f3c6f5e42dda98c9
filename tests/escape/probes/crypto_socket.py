"""Reach the kernel's ciphers."""

import socket

from outside import attempt


def connect():
    with socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET) as outside:
        outside.settimeout(0.5)
        outside.bind(("hash", "sha256"))
        return "connected"


attempt(connect)
