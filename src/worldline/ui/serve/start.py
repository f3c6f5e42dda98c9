"""Starts the server of a local model by its name. The web framework is imported when it starts."""

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
    guide: bool = True,
    key: str = "",
    say: Callable[[str], None] = print,
) -> None:
    """Serve a local model by OpenAI's `/v1/completions`, until Ctrl-C.

    Args:
        model: The shipped model (`default`), the folder of a checkpoint or its URL.
        extras: Options of the engine: `threads`, `precision`.
        served_name: What clients call the model; its own name by default.
        host: Address to listen on; another one than the loopback needs a key.
        port: Port to listen on; 0 for any free one.
        batch: How many texts are written together.
        guide: Hold steps to their grammar.
        key: The key that clients must show.
        say: Called with the address and the model as soon as it answers.

    Raises:
        UsageError: The model is not a local one, an option is unknown, or the extra `view` is missing.
    """
    if strange := sorted((extras or {}).keys() - ENGINE_OPTIONS):
        raise UsageError(f"-M {strange[0]} is said by each question here; serve takes threads and precision")
    try:
        from worldline.ui.serve.server import serve as run
    except ImportError as error:
        raise UsageError(f"serving needs the extra `view`: pip install 'worldline[view]' ({error})") from None
    if model == "interpreter" or model.startswith(("server:", "hub:", "replay:", "python:")):
        raise UsageError(f"{model} is not served: serve takes `default`, a checkpoint's folder or its URL")
    run(
        load_local(model, extras), host=host, port=port, batch=batch, guide=guide, name=served_name, key=key, say=say
    )  # fmt: skip
