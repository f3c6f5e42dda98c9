"""The error of a name that no model has: what is spelled alike, and which models exist."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from itertools import islice
from pathlib import Path

from worldline.core.errors import DiskError, NoModelError
from worldline.model.model_folder import MANIFEST, has_model_manifest
from worldline.storage import files

MAX_SIBLINGS = 200  # folders to look into
MAX_LISTED = 8  # names in a message


def missing_model(name: str, *, names: Sequence[str] = (), other_forms: str = "") -> NoModelError:
    """Describe a model that does not exist.

    Args:
        name: The name or folder that the user asked for.
        names: Names that would do, such as `default`.
        other_forms: Other ways to name a model, for the end of the message.

    Returns:
        The error, to raise.
    """
    folder = Path(name)
    reason = "the folder does not contain a model" if folder.is_dir() else "there is no such name or folder"
    return NoModelError(
        f"no model {name!r}: {reason}" + describe_alternatives(name, [*names, *sibling_models(folder)], other_forms)
    )


def describe_alternatives(name: str, existing: Sequence[str], other_forms: str = "") -> str:
    """Return the end of a message about a wrong name: the name that was probably meant, and what exists."""
    close = get_close_matches(name, existing, n=1)
    listed = ", ".join(existing[:MAX_LISTED]) + (", ..." if len(existing) > MAX_LISTED else "")
    return "".join(
        (
            f"; did you mean {close[0]!r}?" if close else ".",
            f" Available: {listed}." if listed else "",
            f" {other_forms}" if other_forms else "",
        )
    )


def sibling_models(folder: Path) -> list[str]:
    """List the models and training runs in the folder that should contain `folder`, by the paths that name them."""
    try:
        parent = folder.parent
        return sorted(str(parent / name) for name in islice(_folders(parent), MAX_SIBLINGS) if _is_model(parent / name))
    except (OSError, DiskError):
        return []


def _folders(parent: Path) -> Iterator[str]:
    return (name for name in files.names(parent) if not name.startswith(".") and (parent / name).is_dir())


def _is_model(folder: Path) -> bool:
    has_manifest = (folder / MANIFEST).is_file() and has_model_manifest(folder)
    return has_manifest or next(folder.glob(f"step-*/{MANIFEST}"), None) is not None
