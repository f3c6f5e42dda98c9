"""The listening socket, and uvicorn configured by a policy."""

from __future__ import annotations

import asyncio
import errno
import socket
from typing import cast

import uvicorn
from starlette.types import ASGIApp

from worldline.core.errors import UsageError
from worldline.ui.http.connection import connections
from worldline.ui.http.policy import Policy

BACKLOG = 128


def listen(host: str, port: int, *, tries: int = 0) -> socket.socket:
    """Listen on a port, or on one of the next `tries` ports if it is taken.

    Raises:
        UsageError: The address is not valid, or no port is free.
    """
    try:
        family, kind, proto, _, address = socket.getaddrinfo(
            host or "0.0.0.0", port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError, OverflowError) as error:
        raise UsageError(f"--host {host} --port {port}: {error}") from None
    last = min(port + tries, 65_535) if port else 0
    for number in range(port, last + 1):
        listener = socket.socket(family, kind, proto)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((address[0], number, *address[2:]))
            listener.listen(BACKLOG)  # binding alone does not reserve the port
            return listener
        except OSError as error:
            listener.close()
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise UsageError(f"--host {host} --port {number}: {error.strerror}") from None
    taken = f"port {port} is not" if last == port else f"no port from {port} to {last} is"
    raise UsageError(f"{taken} free at {host}: pass another --port, or 0 for any")


def server_of(app: ASGIApp, rules: Policy) -> uvicorn.Server:
    """Return the uvicorn server of an application. Ctrl-C ends it."""
    config = uvicorn.Config(
        app,
        http=cast("type[asyncio.Protocol]", connections(rules)),
        ws="none",
        lifespan="on",
        loop="asyncio",
        interface="asgi3",
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=rules.header_bytes,
        timeout_keep_alive=rules.idle_seconds,
        timeout_graceful_shutdown=rules.leave_seconds + 5,  # `connection` closes earlier
        backlog=BACKLOG,
    )
    return uvicorn.Server(config)
