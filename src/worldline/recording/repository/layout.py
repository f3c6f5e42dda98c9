"""Find where the modules of a repository are imported from. The repository is listed, never imported."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

from worldline.recording.repository.requirements import normalised

__all__ = ["import_roots", "table", "top_level_modules"]

MAX_LISTED_NAMES = 2_000
_NOT_PACKAGES = frozenset(
    {"test", "tests", "testing", "docs", "doc", "examples", "build", "dist", "benchmarks", "bench"}
)
_SCRIPTS = frozenset({"setup.py", "conftest.py", "noxfile.py", "tasks.py", "fabfile.py"})


def table(data: object, *keys: str) -> dict[str, Any]:
    """Return a nested table of parsed TOML, or an empty one where there is none."""
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}


def import_roots(
    repository: Path, pyproject: dict[str, Any], cfg: dict[str, str], setup: dict[str, Any]
) -> tuple[str, ...]:
    """Return the folders, relative to the repository, that must be on Python's path. The last one is `.`.

    Args:
        repository: Its folder.
        pyproject: The parsed pyproject.toml.
        cfg: `package_dir` and `where` of setup.cfg.
        setup: The literal arguments of setup.py.
    """
    tool = table(pyproject, "tool")
    named: list[object] = [table(tool, "setuptools", "package-dir").get("")]
    named += _listed(table(tool, "setuptools", "packages", "find").get("where"))
    named += [
        line.partition("=")[2].strip() for line in cfg.get("package_dir", "").splitlines() if line.strip()[:1] == "="
    ]
    named += [cfg.get("where", "").strip()]
    named += [_dictionary(setup.get("package_dir")).get(""), setup.get("find_packages")]
    named += [item.get("from") for item in _listed(table(tool, "poetry").get("packages")) if isinstance(item, dict)]
    for path in _listed(table(tool, "hatch", "build", "targets", "wheel").get("packages")):
        named.append(PurePosixPath(path).parent.as_posix() if isinstance(path, str) else None)
    named += [table(tool, "pdm", "build").get("package-dir")]
    if _has_modules(repository / "src") and not (repository / "src" / "__init__.py").exists():
        named.append("src")
    roots = [_inside(repository, root) for root in named if isinstance(root, str) and root]
    return tuple(dict.fromkeys([root for root in roots if root not in ("", ".")] + ["."]))


def top_level_modules(repository: Path, roots: Iterable[str], name: str) -> tuple[str, ...]:
    """Return the names of the project's own modules and packages.

    At the root of the repository only the one with the project's name counts, if there is one.
    """
    for root in roots:
        modules = [module for module in _modules(repository / root) if root != "." or module not in _NOT_PACKAGES]
        same = [module for module in modules if normalised(module) == normalised(name)]
        if root == "." and same:
            return tuple(same)
        if modules:
            return tuple(modules)
    return ()


def _inside(repository: Path, root: str) -> str:
    """Return a folder of the repository as a relative path, or an empty string if it is not one."""
    relative = os.path.normpath(root.strip().strip("/"))
    is_inside = not relative.startswith("..") and not os.path.isabs(relative)
    return PurePosixPath(relative).as_posix() if is_inside and (repository / relative).is_dir() else ""


def _modules(folder: Path) -> list[str]:
    try:
        names = sorted(os.listdir(folder))[:MAX_LISTED_NAMES]
    except OSError:
        return []
    modules = []
    for name in names:
        if name.endswith(".py") and name not in _SCRIPTS and name[:-3].isidentifier():
            modules.append(name[:-3])
        elif name.isidentifier() and (folder / name / "__init__.py").is_file():
            modules.append(name)
    return modules


def _has_modules(folder: Path) -> bool:
    if _modules(folder):
        return True
    try:
        return any(path.is_dir() and _modules(path) for path in sorted(folder.iterdir())[:MAX_LISTED_NAMES])
    except OSError:
        return False


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value] if isinstance(value, str) else []


def _dictionary(value: object) -> dict[Any, Any]:
    return value if isinstance(value, dict) else {}
