"""From the arguments of `launch` to a program, a model and its options. Reads files, executes nothing."""

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
from worldline.diagnose.failure import explain_failure
from worldline.predict.models import DEFAULT, load_model
from worldline.predict.predictor import Predictor
from worldline.recording.collect import collect, with_data, with_headers
from worldline.recording.languages.flags import with_flags
from worldline.recording.repository.budget import TestBudget
from worldline.recording.repository.one_test import record_test, split_target
from worldline.ui.dap.messages import Arguments
from worldline.ui.session.session import Session

LAUNCH_KEYS = {
    "program", "pytest", "venv",
    "source", "language", "call", "entry", "args", "stdin", "files", "flags", "vmFlags", "cwd", "model",
    "modelOptions", "limit", "reveal", "element", "bare", "hidden", "seed", "steps", "wall",
    "stopOnEntry", "stopAtEnd", "noDebug",
}  # fmt: skip
EDITOR_KEYS = {
    "type", "request", "name", "presentation", "preLaunchTask", "postDebugTask", "internalConsoleOptions",
    "debugServer", "serverReadyAction", "suppressMultipleSessionWarning",
}  # fmt: skip
SOURCE_NAME = "<string>"
MAX_PREDICTION_BYTES = 1 << 24


@dataclass(frozen=True, kw_only=True)
class Launch:
    """What to predict, with which model, and where to stop. `root` is the program's folder; None without a file.

    `recorded`: a test that was recorded instead; then there is no model.
    """

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
    recorded: Session | None = None


def launch_of(arguments: Arguments) -> Launch:
    """Read the arguments of `launch`; UsageError if one is missing or invalid."""
    recorded = _recorded_test(arguments)
    if recorded is None:
        program, root = _program(arguments)
    else:
        program, root = recorded.session.branches[0].ask.program, recorded.root
    limit = arguments.number("limit", 0)
    if not 0 <= limit <= MAX_PREDICTION_BYTES:
        raise UsageError(f"`limit` is a number of bytes, at most {MAX_PREDICTION_BYTES:,}")
    return Launch(
        program=program,
        root=root,
        model=arguments.text("model", DEFAULT),
        extras=_extras(arguments.inner("modelOptions")),
        options=Compact(
            delta="element" if arguments.flag("element") else "whole",
            reveal=arguments.number("reveal", 1),
            bare=arguments.flag("bare"),
            hidden=arguments.text("hidden", "predicted"),
        ),
        limit=limit or None,
        limits=_limits(arguments),
        control=None if arguments.values.get("seed") is None else Control(seed=arguments.number("seed", 0)),
        stop_on_entry=arguments.flag("stopOnEntry"),
        stop_at_end=arguments.flag("stopAtEnd", default=True),
        no_debug=arguments.flag("noDebug"),
        recorded=None if recorded is None else recorded.session,
    )


@dataclass(frozen=True)
class RecordedLaunch:
    """A recorded test and the folder of its repository."""

    session: Session
    root: Path


def _recorded_test(arguments: Arguments) -> RecordedLaunch | None:
    """Record the test that `pytest` names, as `REPO::TEST`; None without it."""
    target = arguments.maybe("pytest")
    if target is None:
        return None
    if arguments.maybe("program") is not None or arguments.maybe("source") is not None:
        raise UsageError("`pytest` names a test of a repository: leave out `program` and `source`")
    repository, test_id = split_target(target)
    root = (Path(arguments.text("cwd", "")) / repository).resolve()
    limits = {"steps": arguments.values.get("steps"), "seconds": arguments.values.get("wall")}
    budget = TestBudget(**{name: value for name, value in limits.items() if value is not None})
    test = record_test(f"{root}::{test_id}", venv=arguments.maybe("venv"), budget=budget)
    explanation = explain_failure(test)
    if test.trace is None:
        raise UsageError(f"{test.id} has no trace to step through: {'; '.join(explanation.notes)}")
    failure = explanation if test.has_failed else None
    return RecordedLaunch(Session.of_trace(test.trace, name=test.id, failure=failure), root)


def _limits(arguments: Arguments) -> Limits | None:
    """The limits `steps` and `wall`, as `--max-steps` and `--wall`; None without either."""
    limits: dict[str, Any] = {
        name: arguments.values[name] for name in ("steps", "wall") if arguments.values.get(name) is not None
    }
    return Limits(**limits) if limits else None


def unknown(arguments: Arguments) -> list[str]:
    """List the unknown keys, which are probably typing errors."""
    known = LAUNCH_KEYS | EDITOR_KEYS
    return [key for key in arguments.values if key not in known and not key.startswith("__")]


def _program(arguments: Arguments) -> tuple[Program, Path | None]:
    call, argv, stdin = arguments.maybe("call"), arguments.texts("args"), arguments.text("stdin", "")
    file, source = arguments.maybe("program"), arguments.maybe("source")
    if (file is None) == (source is None):
        raise UsageError("`launch` needs either a `program` (a path) or a `source` (a text)")
    if source is not None:
        name = _name(arguments.text("language", "python"))
        program = Program(source=source, name=name, call=call, argv=argv, stdin=stdin)
        return with_flags(program, arguments.texts("flags"), arguments.texts("vmFlags")), None
    path = Path(arguments.text("cwd", "")) / (file or "")
    program = collect(path, argv=argv, call=call, entry=arguments.maybe("entry"), stdin=stdin)
    files = [str(Path(arguments.text("cwd", "")) / name) for name in arguments.texts("files")]
    program = with_data(program, path, files) if files else program
    program = with_headers(with_flags(program, arguments.texts("flags"), arguments.texts("vmFlags")), path)
    folder = path if path.is_dir() else path.parent
    return program, folder.resolve()


def _name(language: str) -> str:
    """The name of a program without a file; it says the language."""
    if language not in LANGUAGES:
        raise UsageError(f"`language` must be one of {', '.join(LANGUAGES)}, not {language[:40]!r}")
    return SOURCE_NAME if LANGUAGES[language].is_default else usual_name(language)


def _extras(arguments: Arguments) -> dict[str, str]:
    """Options of the model as text; JSON numbers and booleans are converted."""
    options = {}
    for key, value in arguments.values.items():
        if not isinstance(value, str | int | float):
            raise UsageError(f"`modelOptions`: `{key}` must be a string, number or boolean")
        options[key] = str(value).lower() if isinstance(value, bool) else str(value)
    return options


class ModelCache:
    """Keeps the last loaded model for the next session. Only one, since models are large."""

    def __init__(self) -> None:
        self._key: tuple[str, tuple[tuple[str, str], ...]] | None = None
        self._predictor: Predictor | None = None

    def load(self, launch: Launch) -> Predictor:
        """Return the model of a launch."""
        key = launch.model, tuple(sorted(launch.extras.items()))
        if self._predictor is None or key != self._key:
            self._predictor = None
            self._predictor, self._key = load_model(launch.model, launch.extras), key
        return self._predictor
