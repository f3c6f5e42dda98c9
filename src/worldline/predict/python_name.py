"""Finds the object that `FILE.py:NAME` or `package.module:NAME` names in the user's own code.

The file is imported in this process, without a sandbox: like a recipe, it is code that the user chose. If the import
fails, the error is one line with the position in the file.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from traceback import walk_tb
from types import ModuleType
from typing import Any

from worldline.core.errors import UsageError

MAX_MESSAGE_CHARS = 200
MAX_NAMES_SHOWN = 12
_PACKAGE_DIR = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class NamedObject:
    """An object of the user's code, with its module and file."""

    value: Any
    module: ModuleType
    file: Path | None
    label: str

    @property
    def digest(self) -> str:
        """sha256 of the file; empty if there is none."""
        return sha256(self.file.read_bytes()).hexdigest() if self.file else ""


def find_object(text: str) -> NamedObject:
    """Import the object that `FILE.py:NAME` names.

    Raises:
        UsageError: There is no such file, module or name, or it cannot be imported.
    """
    place, colon, name = text.rpartition(":")
    if not colon:
        place, name = text, ""
    module, file = _module(place)
    label = f"{file.name if file and _is_file(place) else place}:{name}"
    if not name:
        names = _own_names(module)
        raise UsageError(f"python:{place}: name a function or class of the file, such as python:{place}:{names[0]}")
    value: Any = module
    for part in name.split("."):
        if not hasattr(value, part):
            known = ", ".join(_own_names(module)[:MAX_NAMES_SHOWN])
            raise UsageError(f"python:{text}: {place} has no {name!r}; it defines {known}")
        value = getattr(value, part)
    return NamedObject(value, module, file, label)


def _module(place: str) -> tuple[ModuleType, Path | None]:
    if not place:
        raise UsageError("name your own model as python:FILE.py:NAME or python:package.module:NAME")
    try:
        with redirect_stdout(sys.stderr):
            module = _from_file(Path(place)) if _is_file(place) else _from_path(place)
    except UsageError:
        raise
    except (Exception, SystemExit) as error:
        file = Path(place) if _is_file(place) else None
        raise UsageError(f"python:{place} cannot be imported: {describe_error(error, file)}") from error
    file = getattr(module, "__file__", None)
    return module, Path(file) if file else None


def _is_file(place: str) -> bool:
    return place.endswith(".py") or "/" in place


def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise UsageError(f"python:{path}: there is no file {path}")
    path = path.resolve()
    spec = importlib.util.spec_from_file_location(f"worldline_model_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise UsageError(f"python:{path}: {path.name} is not a Python file")
    if str(path.parent) not in sys.path:
        # At the end, so that files beside it do not hide installed packages.
        sys.path.append(str(path.parent))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look up their module
    spec.loader.exec_module(module)
    return module


def _from_path(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name == error.name or name.startswith(error.name + ".")):
            raise
        hint = f"; for the file, write python:{name}.py:NAME" if Path(f"{name}.py").is_file() else ""
        raise UsageError(f"python:{name}: there is no module {error.name}{hint}") from None
    except (TypeError, ValueError):
        raise UsageError(f"python:{name}: {name!r} is neither a .py file nor a module") from None


def _own_names(module: ModuleType) -> list[str]:
    """Return the functions and classes that a module defines itself, in order."""
    own = [
        name
        for name, value in vars(module).items()
        if callable(value) and getattr(value, "__module__", None) == module.__name__
    ]
    return own or ["NAME"]


def describe_error(error: BaseException, file: Path | None) -> str:
    """Describe an exception of user code in one line: its type, its innermost position in the file, its message."""
    places = [(Path(frame.f_code.co_filename), line) for frame, line in walk_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        places.append((Path(error.filename), error.lineno or 0))
    own = [place for place in places if file is not None and place[0].name == file.name]
    own = own or [place for place in places if not place[0].is_relative_to(_PACKAGE_DIR)]
    where = f" at {own[-1][0].name}:{own[-1][1]}" if own else ""
    message = _first_line(error)
    return f"{type(error).__name__}{where}{f': {message}' if message else ''}"


def _first_line(error: BaseException) -> str:
    try:
        message = error.msg if isinstance(error, SyntaxError) else str(error)
    except Exception:  # its `__str__` is user code too
        return ""
    lines = [line for line in message[: 4 * MAX_MESSAGE_CHARS].splitlines() if line.strip()]
    return "".join(char if char.isprintable() else "?" for char in (lines or [""])[0].strip())[:MAX_MESSAGE_CHARS]
