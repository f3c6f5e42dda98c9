"""Recipes: Python files whose functions return frozen configurations. Found by path or by name, never guessed at.

A recipe is code that the user chose to run, as a script is. What its configurations mean is decided by those who ask.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

from worldline.core.errors import UsageError

_HERE = Path(__file__).resolve()
# The reader's own, a clone's, a wheel's.
FOLDERS = (Path("recipes"), _HERE.parents[3] / "recipes", _HERE.parents[1] / "recipes")


def find_recipe(name: str | Path) -> Path:
    """The file of a recipe: a path to one, or the name of one in `recipes/`."""
    text = str(name)
    if text.endswith(".py"):
        if Path(text).is_file():
            return Path(text)
        raise UsageError(f"there is no recipe {text}")
    for folder in FOLDERS:
        if text.isidentifier() and (path := folder / f"{text}.py").is_file():
            return path
    known = sorted({path.stem for folder in FOLDERS for path in folder.glob("*.py")})
    raise UsageError(f"there is no recipe {text!r}; there are: {', '.join(known) or 'none'}")


def load_recipe(name: str | Path, function: str) -> Any:
    """What a recipe's function returns: a frozen dataclass."""
    path = find_recipe(name)
    spec = importlib.util.spec_from_file_location(f"worldline_recipe_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses of the recipe look their module up
    try:
        spec.loader.exec_module(module)
        make = getattr(module, function, None)
        made = make() if callable(make) else None
    except Exception as error:
        raise UsageError(f"{path}: {type(error).__name__}: {error}") from error
    if make is None or not callable(make):
        raise UsageError(f"{path} has no function {function}()")
    parameters = getattr(type(made), "__dataclass_params__", None)
    if parameters is None or not parameters.frozen:
        raise UsageError(f"{path}: {function}() returns {type(made).__name__}, not a frozen dataclass")
    return made


def load_config(name: str | Path, function: str, kind: type[Any]) -> Any:
    """What a recipe's function returns, if it is of the kind asked for."""
    made = load_recipe(name, function)
    if not isinstance(made, kind):
        raise UsageError(f"{name}: {function}() returns {type(made).__name__}, not {kind.__name__}")
    return made
