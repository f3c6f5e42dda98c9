"""`worldline view`: one server for one person, on the loopback unless both a host and a token were said.

Here are the socket, the printed address and the end of it all: Ctrl-C ends the streams, stops what a model is writing
and returns. What is let in is `policy`'s, what is answered `endpoints`'.
"""

from __future__ import annotations

import socket
import threading
import webbrowser
from collections.abc import Callable

from worldline.ui.http.gate import gate
from worldline.ui.http.listening import listen, server_of
from worldline.ui.http.policy import LOOPBACK, PORT, Policy, is_wildcard, policy, settle_token
from worldline.ui.web.application import application
from worldline.ui.web.service import Opening, Service
from worldline.ui.web.static_files import static_files

TRIES = 100  # ports behind the one that is asked for


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
    listener = listen(host, port, tries=TRIES)
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
    is_single = not opening.runs and len(opening.sessions) + len(opening.programs) == 1
    return "/run/live/sample/0" if is_single else ""


def run(service: Service, rules: Policy, listener: socket.socket, announce: Callable[[], None]) -> None:
    """Answer what comes in at a socket, by a policy, until Ctrl-C; `announce` is called when that begins."""
    server = server_of(gate(application(service, static_files(), rules, announce), rules), rules)
    service.open(is_leaving=lambda: server.should_exit)
    try:
        server.run(sockets=[listener])
    finally:
        service.close()
