"""Which files are the repository's own: all Python files below its root but environments, builds and caches."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable, Iterator

SKIPPED_FOLDERS = frozenset({"__pycache__", "node_modules", "site-packages", "build", "dist"})


def own_files(root: str, include: Iterable[str] = ()) -> dict[str, str]:
    """Map the absolute path of every own file to its name in traces.

    Args:
        root: The root of the repository. Names are relative to it.
        include: Packages outside the repository to step into as well. Their names start with `PACKAGE/`.
    """
    files = {path: os.path.relpath(path, root) for path in _python_files(root)}
    for package in include:
        for path in _files_of_package(package):
            files.setdefault(path, os.path.join(package, os.path.relpath(path, _home(package))))
    return files


def _python_files(root: str) -> Iterator[str]:
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not _is_skipped(folder, name))
        yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(".py"))


def _is_skipped(folder: str, name: str) -> bool:
    is_environment = os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))
    return name in SKIPPED_FOLDERS or name.startswith(".") or name.endswith(".egg-info") or is_environment


def _home(package: str) -> str:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise ValueError(f"there is no package {package!r} with Python source to step into")
    return os.path.dirname(spec.origin)


def _files_of_package(package: str) -> list[str]:
    spec = importlib.util.find_spec(package)
    if spec is not None and not spec.submodule_search_locations and spec.origin is not None:
        return [spec.origin]
    return list(_python_files(_home(package)))
