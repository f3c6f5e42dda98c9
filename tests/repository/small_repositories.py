"""Small repositories and wheels that tests write into a folder."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path


def write_repository(folder: Path, contents: Mapping[str, str]) -> Path:
    """Write files by path, and return the folder."""
    for path, text in contents.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


def write_wheel(
    folder: Path, name: str, version: str, contents: Mapping[str, str], needs: tuple[str, ...] = ()
) -> Path:
    """Write a wheel for any interpreter, as a build would."""
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += "".join(f"Requires-Dist: {requirement}\n" for requirement in needs)
    files = dict(contents)
    files[f"{info}/METADATA"] = metadata
    files[f"{info}/WHEEL"] = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    rows = []
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
        rows.append(f"{path},sha256={digest},{len(text.encode())}\n")
    files[f"{info}/RECORD"] = "".join(rows) + f"{info}/RECORD,,\n"
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return wheel


def commit_and_tag(repository: Path, tag: str) -> None:
    """Make the folder a git repository with one tagged commit."""
    settings = [
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@example.org",
        "-c",
        "commit.gpgsign=false",
        "-c",
        "tag.gpgsign=false",
    ]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"], ["tag", tag]):
        subprocess.run(["git", *settings, *command], cwd=repository, check=True, capture_output=True)
