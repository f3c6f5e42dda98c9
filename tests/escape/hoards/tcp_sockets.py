"""Connections over the loopback that nobody reads from."""

import socket

from hoard import fill, hoard

kept = []


def enlarge(end):
    for size in (socket.SO_SNDBUF, socket.SO_RCVBUF):
        try:
            end.setsockopt(socket.SOL_SOCKET, size, 1 << 26)
        except OSError as error:
            print("refused:", error)


def sizes():
    server = socket.create_server(("127.0.0.1", 0))
    while True:
        pair = socket.create_connection(server.getsockname()), server.accept()[0]
        kept.append(pair)
        for end in pair:
            end.setblocking(False)
            enlarge(end)
        for end in pair:
            yield from fill(end.send)


hoard(sizes())
