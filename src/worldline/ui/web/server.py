"""The server of `worldline view`. Any host but the loopback needs a token.

Ctrl-C ends the streams and stops the model.
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

TRIES = 100  # further ports to try


def serve(
    opening: Opening,
    *,
    host: str = LOOPBACK,
    port: int = PORT,
    token: str | None = None,
    open_browser: bool = False,
    say: Callable[[str], None] = print,
) -> None:
    """Serve until Ctrl-C, as described in `start.view`."""
    token = settle_token(host, token)
    listener = listen(host, port, tries=TRIES)
    try:
        rules = policy(host, listener.getsockname()[1], token)
        if port and rules.port != port:
            say(f"port {port} is taken: using {rules.port}")
        url = address(host, rules) + place(opening)

        def announce() -> None:
            say(url)
            if open_browser:  # on a thread: a browser may be slow to start
                threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()

        run(Service(opening), rules, listener, announce)
    except KeyboardInterrupt:
        pass  # uvicorn raises it again after a clean shutdown
    finally:
        listener.close()


def address(host: str, rules: Policy) -> str:
    """Return the address of the page, with the token after the hash, which browsers do not send."""
    name = LOOPBACK if is_wildcard(host) else f"[{host}]" if ":" in host else host
    return f"http://{name}:{rules.port}/#token={rules.token}"


def place(opening: Opening) -> str:
    """Return the part of the address that opens a single program directly; empty for anything else."""
    if opening.quiz is not None and len(opening.programs) == 1:
        return "/quiz/0"
    is_single = not opening.runs and len(opening.sessions) + len(opening.programs) == 1
    return f"/run/live/{'view' if opening.programs else 'sample'}/0" if is_single else ""


def run(service: Service, rules: Policy, listener: socket.socket, announce: Callable[[], None]) -> None:
    """Answer requests at a socket until Ctrl-C. `announce` is called when the server has started."""
    server = server_of(gate(application(service, static_files(), rules, announce), rules), rules)
    service.open(is_leaving=lambda: server.should_exit)
    try:
        server.run(sockets=[listener])
    finally:
        service.close()
