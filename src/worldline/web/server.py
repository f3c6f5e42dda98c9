"""`worldline view`: one server for one person, on the loopback unless both a host and a token were said.

Here are the socket, the printed address and the end of it all: Ctrl-C ends the streams, stops what a model is writing
and returns. What is let in is `policy`'s, what is answered `endpoints`'.
"""

from __future__ import annotations

import asyncio
import errno
import socket
import threading
import webbrowser
from collections.abc import Callable
from typing import cast

import uvicorn

from worldline.errors import UsageError
from worldline.web.http.application import application
from worldline.web.http.connection import connections
from worldline.web.http.gate import gate
from worldline.web.http.policy import LOOPBACK, PORT, Policy, is_wildcard, policy, settle_token
from worldline.web.http.static_files import static_files
from worldline.web.service import Opening, Service

TRIES = 100  # ports behind the one that is asked for
BACKLOG = 128


def serve(
    opening: Opening,
    *,
    host: str = LOOPBACK,
    port: int = PORT,
    token: str | None = None,
    open_browser: bool = False,
    say: Callable[[str], None] = print,
) -> None:
    """Serve until Ctrl-C; `say` gets the address as soon as it answers."""
    token = settle_token(host, token)
    listener = listen(host, port)
    try:
        rules = policy(host, listener.getsockname()[1], token)
        if port and rules.port != port:
            say(f"port {port} is taken: this is {rules.port}")
        where = address(host, rules) + place(opening)

        def announce() -> None:
            say(where)
            if open_browser:  # a browser may take its time to come up
                threading.Thread(target=webbrowser.open, args=(where,), daemon=True).start()

        run(Service(opening), rules, listener, announce)
    except KeyboardInterrupt:
        pass  # uvicorn has closed everything and says again how it was told to, or had not begun
    finally:
        listener.close()


def address(host: str, rules: Policy) -> str:
    """Where the page is, with the token behind the hash, which no browser sends."""
    name = LOOPBACK if is_wildcard(host) else f"[{host}]" if ":" in host else host
    return f"http://{name}:{rules.port}/#token={rules.token}"


def place(opening: Opening) -> str:
    """What one wants to see first: of a single program, that; else all that was opened."""
    is_single = not opening.runs and len(opening.scenes) + len(opening.programs) == 1
    return "/run/live/sample/0" if is_single else ""


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there, or at the next port that is free."""
    try:
        family, kind, proto, _, found = socket.getaddrinfo(
            host or "0.0.0.0", port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError, OverflowError) as error:
        raise UsageError(f"--host {host} --port {port}: {error}") from None
    last = min(port + TRIES, 65_535) if port else 0
    for number in range(port, last + 1):
        listener = socket.socket(family, kind, proto)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((found[0], number, *found[2:]))
            listener.listen(BACKLOG)  # only listening keeps others out
            return listener
        except OSError as error:
            listener.close()
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise UsageError(f"--host {host} --port {number}: {error.strerror}") from None
    raise UsageError(f"no port from {port} to {last} is free at {host}")


def run(service: Service, rules: Policy, listener: socket.socket, announce: Callable[[], None]) -> None:
    """Answer what comes in at a socket, by a policy, until Ctrl-C; `announce` is called when that begins."""
    config = uvicorn.Config(
        gate(application(service, static_files(), rules, announce), rules),
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
        timeout_graceful_shutdown=rules.leave_seconds,
        backlog=BACKLOG,
    )
    server = uvicorn.Server(config)
    service.open(is_leaving=lambda: server.should_exit)
    try:
        server.run(sockets=[listener])
    finally:
        service.close()
