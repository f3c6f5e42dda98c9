"""The server of `worldline serve`: one local model for many clients. Any host but the loopback needs a key."""

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
from worldline.ui.serve.batch import DEFAULT_CACHE_BYTES, DEFAULT_QUEUE_SECONDS, EngineBatch

PORT = 8000  # the default of other completion servers


def serve(
    model: Local,
    *,
    host: str = LOOPBACK,
    port: int = PORT,
    batch: int = 16,
    queue_seconds: float = DEFAULT_QUEUE_SECONDS,
    cache_bytes: int = DEFAULT_CACHE_BYTES,
    guide: bool = True,
    name: str = "",
    key: str = "",
    say: Callable[[str], None] = print,
) -> None:
    """Serve until Ctrl-C, as described in `start.serve`."""
    if not key and not is_loopback(host):
        raise UsageError(f"--host {host} is not the loopback: set --key-env too")
    listener = listen(host, port)
    try:
        rules = _rules(host, listener.getsockname()[1], key)
        served = ServedModel(
            name=name or model.info.name,
            digest=model.info.digest,
            modes=model.info.modes,
            guide=guide,
            at=int(time.time()),
        )
        name_of_host = f"[{host}]" if ":" in host else host
        address = f"server:http://{name_of_host}:{rules.port}#{served.name}"
        texts = EngineBatch(model.engine, max_members=batch, cache_bytes=cache_bytes, queue_seconds=queue_seconds)
        app = application(served, texts, rules, lambda: say(address))
        server_of(gate(app, rules), rules).run(sockets=[listener])
    except KeyboardInterrupt:
        pass  # uvicorn raises it again after a clean shutdown
    finally:
        listener.close()


def _rules(host: str, port: int, key: str) -> Policy:
    """Return a policy for long requests and slow answers, with errors in the protocol's shape."""
    return replace(
        policy(host, port, ""),
        body_bytes=8 << 20,
        body_seconds=120.0,
        idle_seconds=60,
        connections=1024,
        refusal=error_answer,
        key=key,
    )
