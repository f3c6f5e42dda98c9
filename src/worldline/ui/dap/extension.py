"""The path of the VS Code extension: in a wheel beside the package, in a checkout where `make vsix` puts it."""

from __future__ import annotations

from pathlib import Path

from worldline.core.errors import UsageError

NAME = "worldline.vsix"
_PACKAGE = Path(__file__).resolve().parents[2]
PLACES = (_PACKAGE / "editors" / NAME, _PACKAGE.parents[2] / "build" / NAME)


def vsix_path() -> Path:
    """Find the VS Code extension, the file that an editor installs.

    Returns:
        Its path.

    Raises:
        UsageError: This checkout has not built it.
    """
    for place in PLACES:
        if place.is_file():
            return place
    raise UsageError(
        "the VS Code extension is not built in this checkout: run `make vsix` to build build/worldline.vsix"
    )
