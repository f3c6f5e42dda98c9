"""From the arguments of `launch` to a program, a model and how they are asked. Reads files; runs nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldline.codec.compact.prompt import Compact
from worldline.core.errors import UsageError
from worldline.core.hidden import Control
from worldline.core.language import LANGUAGES, usual_name
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.predict.models import DEFAULT, load_model
from worldline.predict.predictor import Predictor
from worldline.recording.collect import collect
from worldline.ui.dap.messages import Arguments

KNOWN = (
    "program", "source", "language", "call", "entry", "args", "stdin", "cwd", "model", "modelOptions", "limit",
    "reveal", "element", "bare", "hidden", "seed", "steps", "wall", "stopOnEntry", "stopAtEnd", "noDebug",
)  # fmt: skip
EDITORS = (
    "type", "request", "name", "presentation", "preLaunchTask", "postDebugTask", "internalConsoleOptions",
    "debugServer", "serverReadyAction", "suppressMultipleSessionWarning",
)  # fmt: skip
SOURCE = "<string>"
MOST_BYTES = 1 << 24  # of a prediction that is asked for


@dataclass(frozen=True, kw_only=True)
class Launch:
    """What is to be imagined, by whom, and where it stops of itself. `root` is the program's folder; None: no file."""

    program: Program
    root: Path | None
    model: str
    extras: Mapping[str, str]
    options: Compact
    limit: int | None
    limits: Limits | None
    stop_on_entry: bool
    stop_at_end: bool
    no_debug: bool
    control: Control | None = None


def launch_of(asked: Arguments) -> Launch:
    """The launch that some arguments mean; a UsageError in words where they mean none."""
    program, root = _program(asked)
    limit = asked.number("limit", 0)
    if not 0 <= limit <= MOST_BYTES:
        raise UsageError(f"`limit` is a number of bytes, at most {MOST_BYTES:,}")
    return Launch(
        program=program,
        root=root,
        model=asked.text("model", DEFAULT),
        extras=_extras(asked.inner("modelOptions")),
        options=Compact(
            delta="element" if asked.flag("element") else "whole",
            reveal=asked.number("reveal", 1),
            bare=asked.flag("bare"),
            hidden=asked.text("hidden", "predicted"),
        ),
        limit=limit or None,
        limits=_limits(asked),
        control=None if asked.values.get("seed") is None else Control(seed=asked.number("seed", 0)),
        stop_on_entry=asked.flag("stopOnEntry"),
        stop_at_end=asked.flag("stopAtEnd", default=True),
        no_debug=asked.flag("noDebug"),
    )


def _limits(asked: Arguments) -> Limits | None:
    """How long the program may run, as `--max-steps` and `--wall` say it; None where neither is said."""
    given: dict[str, Any] = {
        name: asked.values[name] for name in ("steps", "wall") if asked.values.get(name) is not None
    }
    return Limits(**given) if given else None


def unknown(asked: Arguments) -> list[str]:
    """Keys that nobody knows: a slip of the pen, most likely."""
    return [key for key in asked.values if key not in (*KNOWN, *EDITORS) and not key.startswith("__")]


def _program(asked: Arguments) -> tuple[Program, Path | None]:
    call, argv, stdin = asked.maybe("call"), asked.texts("args"), asked.text("stdin", "")
    file, source = asked.maybe("program"), asked.maybe("source")
    if (file is None) == (source is None):
        raise UsageError("launch needs a `program` (a path), or its `source` (a text)")
    if source is not None:
        name = _name(asked.text("language", "python"))
        return Program(source=source, name=name, call=call, argv=argv, stdin=stdin), None
    path = Path(asked.text("cwd", "")) / (file or "")
    program = collect(path, argv=argv, call=call, entry=asked.maybe("entry"), stdin=stdin)
    folder = path if path.is_dir() else path.parent
    return program, folder.resolve()


def _name(language: str) -> str:
    """What a program is called that is given as text: its name says its language."""
    if language not in LANGUAGES:
        raise UsageError(f"`language` is one of {', '.join(LANGUAGES)}, not {language[:40]!r}")
    return SOURCE if LANGUAGES[language].is_default else usual_name(language)


def _extras(asked: Arguments) -> dict[str, str]:
    """Options of the model, as text: numbers and flags as JSON has them are welcome."""
    found = {}
    for key, value in asked.values.items():
        if not isinstance(value, str | int | float):
            raise UsageError(f"`modelOptions` has a {key} that is no text, number or flag")
        found[key] = str(value).lower() if isinstance(value, bool) else str(value)
    return found


class ModelCache:
    """Models that were loaded, so that the next session finds them; the last one only, since they are large."""

    def __init__(self) -> None:
        self._key: tuple[str, tuple[tuple[str, str], ...]] | None = None
        self._predictor: Predictor | None = None

    def load(self, launch: Launch) -> Predictor:
        """The model of a launch."""
        key = launch.model, tuple(sorted(launch.extras.items()))
        if self._predictor is None or key != self._key:
            self._predictor = None
            self._predictor, self._key = load_model(launch.model, launch.extras), key
        return self._predictor
