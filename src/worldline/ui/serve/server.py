"""`worldline serve`: one local model for many clients, on the loopback unless both a host and a key were said.

Here are the socket, the printed address and the end of it all. What is let in is the policy's, what is answered
`application`'s, and how `batch`'s.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from worldline.core.errors import UsageError
from worldline.predict.local import Local
from worldline.ui.http.gate import gate
from worldline.ui.http.listening import listen, server_of
from worldline.ui.http.policy import LOOPBACK, Policy, is_loopback, policy
from worldline.ui.serve.answer import error_answer
from worldline.ui.serve.application import ServedModel, application
from worldline.ui.serve.batch import EngineBatch

PORT = 8000  # where tools look for such a server


def serve(
    model: Local,
    *,
    host: str = LOOPBACK,
    port: int = PORT,
    batch: int = 16,
    guide: bool = True,
    name: str = "",
    key: str = "",
    say: Callable[[str], None] = print,
) -> None:
    """Serve until Ctrl-C; `say` gets the address, and the model behind it, as soon as it answers."""
    if not key and not is_loopback(host):
        raise UsageError(f"--host {host} is not the loopback: say --key-env too, for whoever may ask")
    listener = listen(host, port)
    try:
        rules = _rules(host, listener.getsockname()[1], key)
        served = ServedModel(
            name=name or model.info.name, digest=model.info.digest, guide=guide, at=int(time.time())
        )
        at = f"[{host}]" if ":" in host else host
        where = f"server:http://{at}:{rules.port}#{served.name}"
        app = application(served, EngineBatch(model.engine, most=batch), rules, lambda: say(where))
        server_of(gate(app, rules), rules).run(sockets=[listener])
    except KeyboardInterrupt:
        pass  # uvicorn has closed everything and says again how it was told to, or had not begun
    finally:
        listener.close()


def _rules(host: str, port: int, key: str) -> Policy:
    """The policy: questions may be long and answers slow, and errors have the protocol's shape."""
    return replace(
        policy(host, port, ""), body_bytes=8 << 20, body_seconds=120.0, idle_seconds=60, connections=1024,
        refusal=error_answer, key=key,
    )  # fmt: skip
