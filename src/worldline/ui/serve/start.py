"""Starts the server of a local model by name. The web framework is imported when the server starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from worldline.core.errors import UsageError
from worldline.predict.models import DEFAULT, load_local

ENGINE_OPTIONS = {"threads", "precision"}


def serve(
    model: str = DEFAULT,
    *,
    extras: Mapping[str, str] | None = None,
    served_name: str = "",
    host: str = "127.0.0.1",
    port: int = 8000,
    batch: int = 16,
    queue_seconds: float = 60.0,
    cache_bytes: int = 512 << 20,
    guide: bool = True,
    key: str = "",
    say: Callable[[str], None] = print,
) -> None:
    """Serve a local model by OpenAI's `/v1/completions`, until Ctrl-C.

    Args:
        model: The shipped model (`default`), the folder of a checkpoint or its URL.
        extras: Options of the engine: `threads`, `precision`.
        served_name: The name clients use for the model; its own name by default.
        host: Address to listen on. Any address but the loopback needs a key.
        port: Port to listen on; 0 for any free one.
        batch: Maximum number of texts written at once.
        queue_seconds: Maximum time that a request waits for a place; then it is refused with 503.
        cache_bytes: Memory for the states of recent prompts, so that a shared beginning is read once; 0 for none.
        guide: Keep predicted steps to their grammar.
        key: The key that clients must send.
        say: Called with the address and the model when the server is ready.

    Raises:
        UsageError: The model is not local, an option is unknown, or the extra `serve` is missing.
    """
    if unknown := sorted((extras or {}).keys() - ENGINE_OPTIONS):
        raise UsageError(f"-M {unknown[0]} belongs in each request; serve takes threads and precision")
    try:
        from worldline.ui.serve.server import serve as run
    except ImportError as error:
        raise UsageError(f"serving needs the extra `serve`: pip install 'worldline[serve]' ({error})") from None
    if model == "interpreter" or model.startswith(("server:", "hub:", "replay:", "python:")):
        raise UsageError(f"{model} cannot be served: pass `default`, a checkpoint's folder or its URL")
    engine = load_local(model, extras)
    run(
        engine,
        host=host,
        port=port,
        batch=batch,
        queue_seconds=queue_seconds,
        cache_bytes=cache_bytes,
        guide=guide,
        name=served_name,
        key=key,
        say=say,
    )
