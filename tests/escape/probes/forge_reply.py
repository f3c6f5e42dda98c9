"""Speak to the host in the zygote's name, on every file number there could be."""

import os
import socket

from outside import escaped

for fd in range(3, 4096):
    try:
        os.write(fd, b'{"status": 0, "full": false, "trouble": ""}')
    except OSError:
        pass
    else:
        escaped(f"wrote to file {fd}")
    try:
        socket.socket(fileno=fd).send(b"kill")
    except OSError:
        pass
    else:
        escaped(f"sent to socket {fd}")
