"""From `FILE.py:NAME` or `package.module:NAME` to what it names: a function, class or object of the user's own code.

The file is run as it is when it is imported, in this process and as the user: it is code that the user chose, as a
recipe is. What is wrong with it is a UsageError of one line, with the place in the file. What the name is good for is
decided by the caller (`python_model`).
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

SAID = 200  # characters of an exception's own words
NAMES = 12  # of a module, where none of them was meant
_HOME = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class NamedObject:
    """What a name stands for, the module it was found in, and the file of that."""

    value: Any
    module: ModuleType
    file: Path | None
    label: str

    @property
    def digest(self) -> str:
        """sha256 of the file; nothing where there is none."""
        return sha256(self.file.read_bytes()).hexdigest() if self.file else ""


def named(text: str) -> NamedObject:
    """What `FILE.py:NAME` names."""
    place, colon, name = text.rpartition(":")
    if not colon:
        place, name = text, ""
    module, file = _module(place)
    label = f"{file.name if file and _is_file(place) else place}:{name}"
    if not name:
        names = _own_names(module)
        raise UsageError(
            f"python:{place}: name the function or class behind it, such as python:{place}:{names[0]}"
        )
    value: Any = module
    for part in name.split("."):
        if not hasattr(value, part):
            known = ", ".join(_own_names(module)[:NAMES])
            raise UsageError(f"python:{text}: {place} has no {name!r}; it defines {known}")
        value = getattr(value, part)
    return NamedObject(value, module, file, label)


def _module(place: str) -> tuple[ModuleType, Path | None]:
    if not place:
        raise UsageError("a model of your own is python:FILE.py:NAME or python:package.module:NAME")
    try:
        with redirect_stdout(sys.stderr):
            module = _from_file(Path(place)) if _is_file(place) else _from_path(place)
    except UsageError:
        raise
    except (Exception, SystemExit) as error:
        file = Path(place) if _is_file(place) else None
        raise UsageError(f"python:{place} cannot be imported: {failure(error, file)}") from error
    found = getattr(module, "__file__", None)
    return module, Path(found) if found else None


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
        sys.path.append(str(path.parent))  # last: what lies beside it hides nothing that is installed
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def _from_path(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name == error.name or name.startswith(error.name + ".")):
            raise
        where = (
            f"a file is written python:{name}.py:NAME"
            if Path(f"{name}.py").is_file()
            else "nor is it a FILE.py"
        )
        raise UsageError(f"python:{name}: there is no module {error.name}; {where}") from None
    except (TypeError, ValueError):
        raise UsageError(f"python:{name}: {name!r} is neither a FILE.py nor the name of a module") from None


def _own_names(module: ModuleType) -> list[str]:
    """The functions and classes that a module defines itself, as they stand in it."""
    own = [
        name
        for name, value in vars(module).items()
        if callable(value) and getattr(value, "__module__", None) == module.__name__
    ]
    return own or ["NAME"]


def failure(error: BaseException, file: Path | None) -> str:
    """What somebody else's code raised, in one line: the exception, the newest place in the file, its first line."""
    passed = [(Path(frame.f_code.co_filename), line) for frame, line in walk_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        passed.append((Path(error.filename), error.lineno or 0))
    own = [place for place in passed if file is not None and place[0].name == file.name]
    own = own or [place for place in passed if not place[0].is_relative_to(_HOME)]  # ours is not theirs
    where = f" at {own[-1][0].name}:{own[-1][1]}" if own else ""
    said = _first_line(error)
    return f"{type(error).__name__}{where}{f': {said}' if said else ''}"


def _first_line(error: BaseException) -> str:
    try:
        said = error.msg if isinstance(error, SyntaxError) else str(error)
    except Exception:  # whose words are somebody else's code too
        return ""
    lines = [line for line in said[: 4 * SAID].splitlines() if line.strip()]
    return "".join(char if char.isprintable() else "?" for char in (lines or [""])[0].strip())[:SAID]
