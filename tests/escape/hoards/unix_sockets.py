"""Unix sockets whose other end never reads."""

import socket

from hoard import fill, hoard

kept = []


def sizes():
    while True:
        kept.append(socket.socketpair())
        for end in kept[-1]:
            end.setblocking(False)
            try:
                end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 26)
            except OSError as error:
                print("refused:", error)
            yield from fill(end.send)


hoard(sizes())
