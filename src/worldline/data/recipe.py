"""Recipes: Python files whose functions return frozen configurations.

A recipe is found by path or by name. It is code that the user chose to run, like a script.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

from worldline.core.errors import UsageError

_THIS_FILE = Path(__file__).resolve()
# In the working directory, in a clone, in a wheel.
RECIPE_FOLDERS = (Path("recipes"), _THIS_FILE.parents[3] / "recipes", _THIS_FILE.parents[1] / "recipes")


def find_recipe(name: str | Path) -> Path:
    """Find the file of a recipe.

    Args:
        name: Path of a `.py` file, or name of a recipe in `recipes/`.

    Returns:
        The file.

    Raises:
        UsageError: The recipe does not exist.
    """
    text = str(name)
    if text.endswith(".py"):
        if Path(text).is_file():
            return Path(text)
        raise UsageError(f"there is no recipe {text}")
    for folder in RECIPE_FOLDERS:
        if text.isidentifier() and (path := folder / f"{text}.py").is_file():
            return path
    known = sorted({path.stem for folder in RECIPE_FOLDERS for path in folder.glob("*.py")})
    raise UsageError(f"there is no recipe {text!r}; there are: {', '.join(known) or 'none'}")


def load_recipe(name: str | Path, function: str) -> Any:
    """Call a function of a recipe.

    Args:
        name: Path or name of the recipe.
        function: Name of the function.

    Returns:
        The frozen dataclass that it returns.

    Raises:
        UsageError: The recipe fails, or returns something else.
    """
    path = find_recipe(name)
    spec = importlib.util.spec_from_file_location(f"worldline_recipe_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    # Dataclasses of the recipe look up their module.
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
        factory = getattr(module, function, None)
        config = factory() if callable(factory) else None
    except Exception as error:
        raise UsageError(f"{path}: {type(error).__name__}: {error}") from error
    if factory is None or not callable(factory):
        raise UsageError(f"{path} has no function {function}()")
    parameters = getattr(type(config), "__dataclass_params__", None)
    if parameters is None or not parameters.frozen:
        raise UsageError(f"{path}: {function}() returns {type(config).__name__}, not a frozen dataclass")
    return config


def load_config(name: str | Path, function: str, kind: type[Any]) -> Any:
    """Load a configuration of a given type from a recipe.

    Args:
        name: Path or name of the recipe.
        function: Name of the function.
        kind: Type that it must return.

    Returns:
        The configuration.

    Raises:
        UsageError: The function returns another type.
    """
    config = load_recipe(name, function)
    if not isinstance(config, kind):
        raise UsageError(f"{name}: {function}() returns {type(config).__name__}, not {kind.__name__}")
    return config
