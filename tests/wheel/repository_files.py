"""Which files the repository has."""

from __future__ import annotations

import subprocess

from bare_environment import ROOT


def tracked(folder: str) -> set[str]:
    """The files of a folder that the repository has, relative to it."""
    listed = subprocess.run(["git", "ls-files", "-z", "."], cwd=ROOT / folder, capture_output=True, check=True)
    return {name for name in listed.stdout.decode().split("\0") if name and (ROOT / folder / name).is_file()}
