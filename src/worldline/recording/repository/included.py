"""Read the sources of packages outside a repository that its tests stepped into (`--include PACKAGE`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

_HOME = re.compile(r"^home\s*=\s*(.+)$", re.MULTILINE)


def included_source(python: str, include: Sequence[str], path: str) -> bytes | None:
    """Return the text of a file that a trace names `PACKAGE/module.py`; None if it is not such a file.

    The name comes from the tests, so nothing outside the package is read, whatever it says.

    Args:
        python: The interpreter of the tests.
        include: The packages that were stepped into.
        path: The name in the trace.
    """
    package, _, rest = path.partition("/")
    if package not in include or PurePosixPath(rest).suffix != ".py":
        return None
    for folder in _folders(Path(python)):
        home = folder.joinpath(*package.split("."))
        source = home / rest if home.is_dir() else home.with_suffix(".py")
        try:
            is_inside = source.resolve(strict=True).is_relative_to(
                home.resolve() if home.is_dir() else folder.resolve()
            )
            if is_inside and source.name == PurePosixPath(rest).name:
                return source.read_bytes()
        except OSError:
            continue
    return None


def _folders(python: Path) -> Iterator[Path]:
    """Where an interpreter finds packages: those installed for it, then the standard library."""
    root = python.parent.parent
    yield from sorted(root.glob("lib/python3*/site-packages"))
    try:
        home = _HOME.search((root / "pyvenv.cfg").read_text("utf-8", "replace"))
    except OSError:
        home = None
    base = root if home is None else Path(home[1].strip()).parent
    versions = [folder.parent.name for folder in sorted(root.glob("lib/python3*/site-packages"))]
    yield from (base / "lib" / version for version in versions)
