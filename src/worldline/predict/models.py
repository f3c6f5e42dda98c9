"""From `--model SCHEME` to a predictor: `default` (the shipped model), a checkpoint's folder, or `interpreter`.

Nothing is loaded before it is asked for. Extras (`-M key=value`) are settled here, and an unknown one is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

from worldline.errors import UsageError
from worldline.predict.predictor import Predictor

DEFAULT = "default"
INTERPRETER = "interpreter"
BYTES = 256
THREADS = 64  # the engine has no more


def load_model(scheme: str = DEFAULT, extras: Mapping[str, str] | None = None) -> Predictor:
    """The predictor that a scheme names, with its extras as text."""
    from worldline.model.checkpoint import standing

    if scheme == INTERPRETER:
        from worldline.predict.interpreter import Interpreter

        _settle(extras or {}, {})
        return Interpreter()
    folder = None if scheme == DEFAULT else Path(scheme)
    if folder is not None and not standing(folder).is_dir():
        raise UsageError(f"no model {scheme!r}: it is `default`, `interpreter`, or a checkpoint's folder")
    return _local(scheme, folder, _settle(extras or {}, _EXTRAS))


def _local(scheme: str, folder: Path | None, settled: dict[str, Any]) -> Predictor:
    from worldline.model.checkpoint import open_model
    from worldline.predict.local import Local

    seed = settled.pop("seed", 0)
    engine = open_model(folder, **{key: settled.pop(key) for key in _ENGINE if key in settled})
    if engine.shape.vocabulary != BYTES:
        raise UsageError(f"{scheme} has a vocabulary of {engine.shape.vocabulary}: it does not read bytes")
    return Local(engine, name=scheme if folder is None else folder.name, random=Random(seed), **settled)


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


def _precision(text: str) -> str:
    if text not in ("int8", "fp32"):
        raise ValueError("int8 or fp32")
    return text


_ENGINE: dict[str, Callable[[str], Any]] = {"threads": _threads, "precision": _precision}
_EXTRAS: dict[str, Callable[[str], Any]] = {
    "guide": _truth, "guard": _truth, "batch": _count, "temperature": _warmth, "seed": int,
    "logprobs": _truth, **_ENGINE,
}  # fmt: skip
