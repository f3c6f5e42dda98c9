"""Loads the model that `--model SCHEME` names, with its options (`-M key=value`).

Unknown options are errors. A server's key is read from an environment variable (`-M key_env=NAME`) and is never an
option itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from worldline.codec.compact.prompt import MODES
from worldline.codec.names import DEFAULT_NOTATION, NOTATIONS
from worldline.core.errors import UsageError
from worldline.predict.predictor import Predictor
from worldline.storage.publishing import fetched

if TYPE_CHECKING:
    from worldline.predict.local import Local
    from worldline.predict.servers.client import ServerClient
    from worldline.predict.servers.prompt_styles import Sampling

DEFAULT = "default"
INTERPRETER = "interpreter"
SERVER, HUB, REPLAY, PYTHON = "server:", "hub:", "replay:", "python:"
BYTE_VOCABULARY = 256
MAX_THREADS = 64  # of the engine
MAX_TIMEOUT_SECONDS = 86_400.0
MAX_RETRIES = 100
SERVER_ADDRESS = ("http://", "https://")
OTHER_FORMS = (
    "A model is also the folder or URL of a checkpoint, server:URL#MODEL, hub:NAME, replay:FILE or python:FILE.py:NAME."
)


AnyModel = str | Predictor | Callable[..., object]
"""What a model is given as: a name, a predictor, or a function of your own (docs/how-to/your-model.md)."""


def load_model(scheme: AnyModel = DEFAULT, extras: Mapping[str, str] | None = None) -> Predictor:
    """Load a model by its name, or wrap a predictor or function of your own.

    Args:
        scheme: `default` (the shipped model), a folder or URL of a checkpoint, `server:URL[,URL]#MODEL`, `hub:NAME`,
            `replay:FILE`, `python:FILE.py:NAME`, `interpreter`, a predictor, or a function from a prompt to a text.
        extras: Options of the model, as text.

    Returns:
        The predictor.

    Raises:
        NoModelError: There is no such model.
        UsageError: It has no such option.
    """
    extras = extras or {}
    if not isinstance(scheme, str):
        from worldline.predict.python_model import adopt_model

        return adopt_model(scheme, extras)
    if scheme == INTERPRETER:
        from worldline.predict.interpreter import Interpreter

        return Interpreter(**_parse_options(extras, {"codec": _one_of(*NOTATIONS)}))
    if scheme.startswith(PYTHON):
        from worldline.predict.python_model import load_python

        return load_python(scheme.removeprefix(PYTHON), extras)
    for prefix, (build, known) in _SCHEMES.items():
        if scheme.startswith(prefix):
            return build(scheme.removeprefix(prefix), _parse_options(extras, known))
    return _with_memory(scheme, extras)


def _with_memory(scheme: str, extras: Mapping[str, str]) -> Predictor:
    """Load a local model, with the memory that `-M memory=FILE` names."""
    rest = {key: text for key, text in extras.items() if key != "memory"}
    local = load_local(scheme, rest)
    if "memory" not in extras:
        return local
    from worldline.predict.retrieval.retrieval import Retrieval
    from worldline.predict.retrieval.step_memory import load_memory

    return Retrieval(local, load_memory(extras["memory"]))


def _server(scheme: str, options: dict[str, Any]) -> Predictor:
    from worldline.predict.servers.balance import BalancedServers
    from worldline.predict.servers.listing import address_alone
    from worldline.predict.servers.prompt_styles import CHAT
    from worldline.predict.servers.registry import check_way, default_way, notation_for, prompt_style
    from worldline.predict.servers.server import Server
    from worldline.predict.servers.tokens import llama3

    key_env = options.get("key_env", "")
    clients, model = _clients(scheme, options)
    if not model:
        raise address_alone(clients[0].url, clients[0].key)
    way = options.pop("way", default_way(model, converses=True))
    codec = options.pop("codec", notation_for(model, way))
    check_way(way, codec)
    style = prompt_style(way, codec, llama3)
    modes = options.pop("modes", ())
    if modes and codec != DEFAULT_NOTATION:
        raise UsageError(f"-M modes= is about the notation {DEFAULT_NOTATION}, and this model writes {codec}")
    concurrency = options.pop("concurrency", 8)
    sampling = _sampling(options, logprobs=style.path != CHAT)  # many servers refuse them for chat
    client = clients[0] if len(clients) == 1 else BalancedServers(clients, model)
    return Server(client, model, style=style, sampling=sampling, modes=modes, concurrency=concurrency, key_env=key_env)


def server_clients(scheme: str, extras: Mapping[str, str]) -> tuple[list[ServerClient], str]:
    """Return a client for each address of `server:URL[,URL]#MODEL`, and the model (empty if it is left out)."""
    return _clients(scheme.removeprefix(SERVER), _parse_options(extras, _SERVER_OPTIONS))


def _clients(scheme: str, options: dict[str, Any]) -> tuple[list[ServerClient], str]:
    """Create the clients of a server, and take what only they need out of the options."""
    from worldline.predict.servers.client import Patience, ServerClient
    from worldline.predict.servers.server import addresses

    urls, model = addresses(scheme)
    key_env = options.pop("key_env", "")
    key = os.environ.get(key_env, "") if key_env else ""
    if key_env and not key:
        raise UsageError(f"no key: the environment variable {key_env} is not set")
    patience = Patience(**{name: options.pop(name) for name in ("timeout", "retries") if name in options})
    return [ServerClient(url, patience, Random(options.get("seed", 0)), key) for url in urls], model


def _hub(name: str, options: dict[str, Any]) -> Predictor:
    from worldline.predict.hub import load_hub
    from worldline.predict.servers.registry import check_way

    placed = {key: options.pop(key) for key in ("way", "device", "codec") if key in options}
    if "way" in placed and "codec" in placed:
        check_way(placed["way"], placed["codec"])
    return load_hub(name, **placed, sampling=_sampling(options, logprobs=True))


def _replay(name: str, options: dict[str, Any]) -> Predictor:
    from worldline.predict.replay import load_replay

    return load_replay(Path(name), **options)


def _sampling(options: dict[str, Any], *, logprobs: bool) -> Sampling:
    from worldline.predict.servers.prompt_styles import Sampling

    return Sampling(**{"logprobs": logprobs, **options})


def load_local(scheme: str = DEFAULT, extras: Mapping[str, str] | None = None) -> Local:
    """Load the shipped model, or the checkpoint in a folder or at a URL, into the local engine."""
    from worldline.model.checkpoint import digest, modes, open_model
    from worldline.model.missing_model import missing_model
    from worldline.model.model_folder import surviving
    from worldline.predict.local import Local

    if scheme.startswith(SERVER_ADDRESS):
        from worldline.predict.servers.listing import address_alone
        from worldline.predict.servers.server import address

        raise address_alone(address(scheme))
    options = _parse_options(extras or {}, _LOCAL_OPTIONS)
    folder = None if scheme == DEFAULT else fetched(scheme)
    if folder is not None and not surviving(folder).is_dir():
        raise missing_model(scheme, names=(DEFAULT, INTERPRETER), other_forms=OTHER_FORMS)
    seed = options.pop("seed", 0)
    engine = open_model(folder, **{key: options.pop(key) for key in _ENGINE_OPTIONS if key in options})
    if engine.shape.vocabulary != BYTE_VOCABULARY:
        raise UsageError(f"{scheme} does not read bytes: its vocabulary has {engine.shape.vocabulary} entries")
    name = scheme if folder is None else folder.name
    options.setdefault("modes", tuple(mode for mode in modes(folder) if mode in MODES))
    return Local(engine, name=name, random=Random(seed), digest=digest(folder), **options)


def model_findings(folder: Path) -> list[str] | None:
    """Return the differences between a model folder and its manifest; None if the folder is not a model."""
    from worldline.model.checkpoint import findings, is_model

    return findings(folder) if is_model(folder) else None


def _parse_options(extras: Mapping[str, str], known: Mapping[str, Callable[[str], Any]]) -> dict[str, Any]:
    options = {}
    for key, text in extras.items():
        if key not in known:
            raise UsageError(f"this model has no option {key!r}; it has {', '.join(sorted(known)) or 'none'}")
        try:
            options[key] = known[key](text)
        except ValueError as error:
            raise UsageError(f"option {key}={text}: {error}") from error
    return options


def _boolean(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError("must be true or false")
    return text == "true"


def _modes(text: str) -> tuple[str, ...]:
    names = tuple(filter(None, text.split(",")))
    if unknown := [name for name in names if name not in MODES]:
        raise ValueError(f"must be some of {','.join(MODES)}, or nothing; not {','.join(unknown)}")
    return names


def _temperature(text: str) -> float:
    value = float(text)
    if not 0 <= value < float("inf"):
        raise ValueError("must be 0 or more")
    return value


def _integer(least: int, most: int | None = None) -> Callable[[str], int]:
    def parse(text: str) -> int:
        value = int(text)
        if value < least or (most is not None and value > most):
            raise ValueError(f"must be {least} or more" if most is None else f"must be {least} to {most}")
        return value

    return parse


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value <= MAX_TIMEOUT_SECONDS:
        raise ValueError("must be a number of seconds, more than 0 and at most a day")
    return value


def _variable(text: str) -> str:
    if not text.isidentifier():
        raise ValueError("must be the name of an environment variable")
    return text


def _one_of(*words: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in words:
            raise ValueError(f"must be {' or '.join(words)}")
        return text

    return parse


# The options of each kind of model, with the functions that parse them.
_Parsers = Mapping[str, Callable[[str], Any]]
_ENGINE_OPTIONS: _Parsers = {"threads": _integer(1, MAX_THREADS), "precision": _one_of("int8", "fp32")}
_LOCAL_OPTIONS: _Parsers = {
    **_ENGINE_OPTIONS,
    **dict.fromkeys(("guide", "guard", "logprobs", "guesses"), _boolean),
    "batch": _integer(1),
    "temperature": _temperature,
    "seed": int,
    "modes": _modes,
}
_SAMPLING_OPTIONS: _Parsers = {
    "way": _one_of("text", "tokens", "chat", "fewshot", "fewshot-chat"),
    "codec": _one_of(*NOTATIONS),
    "temperature": _temperature,
    "seed": int,
    "max_tokens": _integer(1),
}
_SERVER_OPTIONS: _Parsers = {
    **_SAMPLING_OPTIONS,
    "logprobs": _boolean,
    "stream": _boolean,
    "timeout": _seconds,
    "retries": _integer(0, MAX_RETRIES),
    "concurrency": _integer(1),
    "key_env": _variable,
    "modes": _modes,
}
_SCHEMES: dict[str, tuple[Callable[[str, dict[str, Any]], Predictor], _Parsers]] = {
    SERVER: (_server, _SERVER_OPTIONS),
    HUB: (_hub, {**_SAMPLING_OPTIONS, "device": str}),
    REPLAY: (_replay, {"by": _one_of("digest", "prompt", "id", "order"), "codec": _one_of(*NOTATIONS)}),
}
