"""Which model a run is about, how it was asked, and which settings chose its programs: read from its configuration."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from worldline.evaluation.run.directory import deciding
from worldline.evaluation.suites import SUITES

SERVER = "server:"
INTERPRETER = "interpreter"
DEFAULT, SHIPPED = "default", "worldline, shipped model"
ASKING = ("reveal", "delta", "hidden", "bare")  # options of suites that change what is asked, not which programs
BY_PROGRAM = ("data", "seed")  # options whose effect is seen in the programs themselves
SEED = "seed"
NOT_SHOWN = (SEED, "way", "codec")  # options of models: seeds make repeats, the others are words of their own


def model_name(config: Mapping[str, Any]) -> str:
    """Return the name of a run's model: of a server the model alone, of a folder its last part."""
    name = str(config.get("scheme") or config.get("model", ""))
    if name == DEFAULT:
        return SHIPPED
    if name.startswith(SERVER):
        return name.partition("#")[2] or name
    if ":" not in name and "/" in name.rstrip("/"):
        return name.rstrip("/").rpartition("/")[2]
    return name


def is_execution(config: Mapping[str, Any]) -> bool:
    """Return whether a run's answers come from executing the programs."""
    return bool(config.get("scheme", config.get("model")) == INTERPRETER)


def is_forced(config: Mapping[str, Any]) -> bool:
    """Return whether the model was fed a part of the truth."""
    return bool(config.get("force"))


def way_of_asking(config: Mapping[str, Any]) -> tuple[str, ...]:
    """Return how the model was asked, in short phrases; none for a plain prediction."""
    return tuple(_phrases(config))


def _phrases(config: Mapping[str, Any]) -> Iterator[str]:
    how = config.get("how") or {}
    extras = deciding(config)["extras"]
    if "predictions" in config:
        yield "outputs of a file"
    if way := how.get("way") or extras.get("way"):
        yield f"asked by {way}"
    if (how.get("codec") or extras.get("codec")) == "cwm":
        yield "Meta's format"
    if config.get("scratchpad"):
        yield f"scratchpad {config['scratchpad']}"
    for force in config.get("force") or ():
        queries = f" ({config['queries']})" if config.get("queries") is not None else ""
        yield f"{force} forced{queries}"
    if config.get("samples", 1) > 1:
        yield f"vote of {config['samples']} samples"
    if voters := config.get("voters"):
        yield "voters " + ", ".join(model_name(voter) for voter in voters)
    yield from (f"{key} {value}" for key, value in sorted(extras.items()) if key not in NOT_SHOWN)
    chosen = changed_options(config)
    yield from (f"{key} {chosen[key]}" for key in ASKING if key in chosen)


def asking_digest(config: Mapping[str, Any], label: str | None = None) -> str:
    """Return a digest of what makes a row of its own: the model or its label, its weights and how it was asked."""
    how = config.get("how") or {}
    parts = [label or model_name(config), config.get("weights", ""), way_of_asking(config), how.get("template", "")]
    voters = [voter.get("weights", "") for voter in config.get("voters") or ()]
    return hashlib.sha256(json.dumps([*parts, voters], default=str).encode()).hexdigest()


def settings_of(config: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings of the suite that chose its programs, where they differ from the default.

    The data file and the seed are left out: whether two runs have the same programs is seen in their programs.
    """
    chosen = changed_options(config)
    return {key: chosen[key] for key in sorted(chosen) if key not in (*ASKING, *BY_PROGRAM)}


def changed_options(config: Mapping[str, Any]) -> dict[str, str]:
    """Return the options of a run's suite that differ from their defaults, as text."""
    suite = str(config.get("suite", ""))
    defaults = _defaults(suite)
    options = config.get("options") or {}
    texts = {key: _text(value) for key, value in options.items() if value is not None}
    return {key: text for key, text in texts.items() if key not in defaults or text != _text(defaults[key])}


def _defaults(suite: str) -> dict[str, Any]:
    if suite not in SUITES:
        return {}
    parameters = inspect.signature(import_module(SUITES[suite]).load).parameters.values()
    return {parameter.name: parameter.default for parameter in parameters if parameter.default is not parameter.empty}


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ",".join(map(_text, value))
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)
