"""The interpreters found on this machine: every supported version that is there is tested.

`WORLDLINE_PYTHONS=DIR` names others, as `make sanitize` does: DIR/python3.11 and so on.
"""

from __future__ import annotations

import glob
import os
import shutil
import sys

VERSIONS = ("3.11", "3.12", "3.13")
HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"


def find(version: str) -> str | None:
    """A real interpreter of this version: ours, pyenv's, or one on the path."""
    if folder := os.environ.get("WORLDLINE_PYTHONS"):
        return shutil.which(f"{folder}/python{version}")
    if version == HERE:
        return sys.executable
    kept = sorted(glob.glob(os.path.expanduser(f"~/.pyenv/versions/{version}.*/bin/python")))
    return kept[-1] if kept else shutil.which(f"python{version}")


FOUND = {version: path for version in VERSIONS if (path := find(version))}
