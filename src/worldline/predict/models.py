"""From `--model SCHEME` to a predictor. Schemes: `default` (the shipped model), a checkpoint's folder or URL,
`interpreter`, `server:URL[,URL]#MODEL`, `hub:NAME`, `replay:FILE`, `python:FILE.py:NAME` (whose extras are its own).

Nothing is loaded before it is asked for. Extras (`-M key=value`) are settled here, and an unknown one is an error. A
server's key is read from the environment by name (`-M key_env=NAME`); it is no extra itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from worldline.codec.names import NOTATIONS
from worldline.core.errors import UsageError
from worldline.predict.predictor import Predictor
from worldline.storage.publishing import fetched

if TYPE_CHECKING:
    from worldline.predict.local import Local
    from worldline.predict.servers.ways import Sampling

DEFAULT = "default"
INTERPRETER = "interpreter"
PYTHON = "python:"
BYTES = 256
THREADS = 64  # the engine has no more
DAY = 86_400.0  # seconds that a question may take
MOST_RETRIES = 100


AnyModel = str | Predictor | Callable[..., object]
"""What a model is given as: a name, a predictor, or a function of your own (docs/how-to/your-model.md)."""


def load_model(scheme: AnyModel = DEFAULT, extras: Mapping[str, str] | None = None) -> Predictor:
    """Load a model by its name, or take a predictor or a function of your own as one.

    Args:
        scheme: `default`, a folder or URL, `server:URL[,URL]#MODEL`, `hub:NAME`, `replay:FILE`,
            `python:FILE.py:NAME`, `interpreter`, a predictor, or a function from a prompt to a text.
        extras: Options of the model, as text.

    Returns:
        The predictor.

    Raises:
        UsageError: There is no such model, or it has no such option.
    """
    extras = extras or {}
    if not isinstance(scheme, str):
        return _adopted(scheme, extras)
    if scheme == INTERPRETER:
        return _interpreter(_settle(extras, {"codec": _one_of(*NOTATIONS)}))
    if scheme.startswith(PYTHON):
        return _python(scheme.removeprefix(PYTHON), extras)
    for prefix, (build, known) in _SCHEMES.items():
        if scheme.startswith(prefix):
            return build(scheme.removeprefix(prefix), _settle(extras, known))
    return load_local(scheme, extras)


def _interpreter(settled: dict[str, Any]) -> Predictor:
    from worldline.predict.interpreter import Interpreter

    return Interpreter(**settled)


def _python(scheme: str, extras: Mapping[str, str]) -> Predictor:
    from worldline.predict.python_model import load_python

    return load_python(scheme, extras)


def _adopted(model: Any, extras: Mapping[str, str]) -> Predictor:
    from worldline.predict.python_model import adopted

    return adopted(model, extras)


def _server(scheme: str, settled: dict[str, Any]) -> Predictor:
    from worldline.predict.servers.balance import BalancedServers
    from worldline.predict.servers.client import Patience, ServerClient
    from worldline.predict.servers.named import check_way, notation_for, way_named
    from worldline.predict.servers.server import Server, addresses
    from worldline.predict.servers.tokens import is_meta, llama3
    from worldline.predict.servers.ways import CHAT

    urls, model = addresses(scheme)
    asked = settled.pop("way", "tokens" if is_meta(model) else "chat")
    codec = settled.pop("codec", notation_for(model, asked))
    check_way(asked, codec)
    way = way_named(asked, codec, llama3)
    key_env = settled.pop("key_env", "")
    key = os.environ.get(key_env, "") if key_env else ""
    if key_env and not key:
        raise UsageError(f"no key: the environment has no {key_env}")
    patience = Patience(**{name: settled.pop(name) for name in ("timeout", "retries") if name in settled})
    concurrency = settled.pop("concurrency", 8)
    sampling = _sampling(settled, logprobs=way.path != CHAT)  # many servers refuse them in a conversation
    clients = [ServerClient(url, patience, Random(sampling.seed), key) for url in urls]
    client = clients[0] if len(clients) == 1 else BalancedServers(clients, model)
    return Server(client, model, way=way, sampling=sampling, concurrency=concurrency, key_env=key_env)


def _hub(name: str, settled: dict[str, Any]) -> Predictor:
    from worldline.predict.hub import load_hub
    from worldline.predict.servers.named import check_way

    placed = {key: settled.pop(key) for key in ("way", "device", "codec") if key in settled}
    if "way" in placed and "codec" in placed:
        check_way(placed["way"], placed["codec"])
    return load_hub(name, **placed, sampling=_sampling(settled, logprobs=True))


def _replay(name: str, settled: dict[str, Any]) -> Predictor:
    from worldline.predict.replay import load_replay

    return load_replay(Path(name), **settled)


def _sampling(settled: dict[str, Any], *, logprobs: bool) -> Sampling:
    from worldline.predict.servers.ways import Sampling

    return Sampling(**{"logprobs": logprobs, **settled})


def load_local(scheme: str = DEFAULT, extras: Mapping[str, str] | None = None) -> Local:
    """The shipped model, or that of a checkpoint's folder, by the engine."""
    from worldline.model.checkpoint import digest, open_model
    from worldline.model.model_folder import surviving
    from worldline.predict.local import Local

    settled = _settle(extras or {}, _EXTRAS)
    folder = None if scheme == DEFAULT else fetched(scheme)
    if folder is not None and not surviving(folder).is_dir():
        raise UsageError(
            f"no model {scheme!r}: it is `default`, `interpreter`, a checkpoint's folder or URL, server:URL#MODEL, "
            "hub:NAME, replay:FILE or python:FILE.py:NAME"
        )
    seed = settled.pop("seed", 0)
    engine = open_model(folder, **{key: settled.pop(key) for key in _ENGINE if key in settled})
    if engine.shape.vocabulary != BYTES:
        raise UsageError(f"{scheme} has a vocabulary of {engine.shape.vocabulary}: it does not read bytes")
    name = scheme if folder is None else folder.name
    return Local(engine, name=name, random=Random(seed), digest=digest(folder), **settled)


def model_findings(folder: Path) -> list[str] | None:
    """What of a model's folder differs from its manifest; None where the folder is not a model."""
    from worldline.model.checkpoint import findings, is_model

    return findings(folder) if is_model(folder) else None


def _settle(extras: Mapping[str, str], known: Mapping[str, Callable[[str], Any]]) -> dict[str, Any]:
    """Extras by name, each as what it means."""
    settled = {}
    for key, text in extras.items():
        if key not in known:
            raise UsageError(f"no extra {key!r}; there are {', '.join(sorted(known)) or 'none'}")
        try:
            settled[key] = known[key](text)
        except ValueError as error:
            raise UsageError(f"extra {key}={text}: {error}") from error
    return settled


def _truth(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError("true or false")
    return text == "true"


def _warmth(text: str) -> float:
    value = float(text)
    if not 0 <= value < float("inf"):
        raise ValueError("a temperature is 0 or more")
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError("1 or more")
    return value


def _threads(text: str) -> int:
    value = _count(text)
    if value > THREADS:
        raise ValueError(f"{THREADS} or fewer")
    return value


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value <= DAY:
        raise ValueError("seconds, more than 0 and at most a day")
    return value


def _retries(text: str) -> int:
    value = int(text)
    if not 0 <= value <= MOST_RETRIES:
        raise ValueError(f"0 to {MOST_RETRIES}")
    return value


def _variable(text: str) -> str:
    if not text.isidentifier():
        raise ValueError("the name of an environment variable")
    return text


def _one_of(*words: str) -> Callable[[str], str]:
    def settled(text: str) -> str:
        if text not in words:
            raise ValueError(" or ".join(words))
        return text

    return settled


_ENGINE: dict[str, Callable[[str], Any]] = {"threads": _threads, "precision": _one_of("int8", "fp32")}
_EXTRAS: dict[str, Callable[[str], Any]] = {
    "guide": _truth, "guard": _truth, "batch": _count, "temperature": _warmth, "seed": int,
    "logprobs": _truth, "guesses": _truth, **_ENGINE,
}  # fmt: skip
_SAMPLING: dict[str, Callable[[str], Any]] = {
    "way": _one_of("text", "tokens", "chat", "fewshot", "fewshot-chat"), "codec": _one_of(*NOTATIONS),
    "temperature": _warmth, "seed": int, "max_tokens": _count,
}  # fmt: skip
_ASKING: dict[str, Callable[[str], Any]] = {
    **_SAMPLING, "logprobs": _truth, "timeout": _seconds, "retries": _retries, "concurrency": _count,
    "key_env": _variable, "stream": _truth,
}  # fmt: skip
_SCHEMES: dict[str, tuple[Callable[[str, dict[str, Any]], Predictor], dict[str, Callable[[str], Any]]]] = {
    "server:": (_server, _ASKING),
    "hub:": (_hub, {**_SAMPLING, "device": str}),
    "replay:": (_replay, {"by": _one_of("digest", "prompt", "order"), "codec": _one_of(*NOTATIONS)}),
}
