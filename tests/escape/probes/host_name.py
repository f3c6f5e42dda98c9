"""Rename the machine."""

import socket

from outside import attempt, syscall

syscall("sethostname", b"marked", 6)
attempt(socket.sethostname, "marked")
