"""Compile the runtime of Go such that every execution of a program visits maps, and ready cases of `select`, alike.

`runtime_edits.json` has the edits of its source, by file: `before` occurs `times` times and becomes `after`. No edit
may add a package-level name: the compiled packages of the toolchain refer to those of the runtime by number.
"""

from __future__ import annotations

import json
import subprocess
from contextlib import suppress
from pathlib import Path

ARCHIVE = "runtime.a"
_EDITS = Path(__file__).with_name("runtime_edits.json")
_MEMBER_HEADER = 60  # of an archive, after 8 bytes: the size of the member is in bytes 48 to 58


def compile_runtime(go: str, toolchain: Path, installed: Path, folder: Path, environment: dict[str, str]) -> bytes:
    """Compile the runtime with the edits.

    Args:
        go: The command.
        toolchain: Its folder.
        installed: The compiled runtime of the toolchain.
        folder: An empty folder for the edited source.
        environment: Of the command.

    Returns:
        The archive; nothing if the source is not there, differs, or does not fit the toolchain's other packages.
    """
    with suppress(OSError, ValueError):
        return _compile(go, toolchain, installed, folder, environment)
    return b""


def _compile(go: str, toolchain: Path, installed: Path, folder: Path, environment: dict[str, str]) -> bytes:
    edited = _edit_source(toolchain / "src" / "runtime")
    if not edited:
        return b""
    _mirror(toolchain, folder, edited)
    archive = folder / ARCHIVE
    command = [go, "build", "-a", "-o", str(archive), "runtime"]
    compiled = subprocess.run(
        command, capture_output=True, env={**environment, "GOROOT": str(folder)}, cwd=folder, stdin=subprocess.DEVNULL
    )
    if compiled.returncode or _exports(archive) != _exports(installed):
        return b""
    return archive.read_bytes()


def _edit_source(source: Path) -> dict[str, str]:
    """Return the edited text of each file; nothing if one edit does not fit."""
    edited: dict[str, str] = {}
    for name, edits in json.loads(_EDITS.read_text(encoding="utf-8")).items():
        text = (source / name).read_text(encoding="utf-8")
        for edit in edits:
            if text.count(edit["before"]) != edit["times"]:
                return {}
            text = text.replace(edit["before"], edit["after"])
        edited[name] = text
    return edited


def _mirror(toolchain: Path, folder: Path, edited: dict[str, str]) -> None:
    """Create a toolchain of links, but for the edited files.

    With `go build -overlay`, the archive would have other names of its source files than the installed one.
    """
    source = folder / "src" / "runtime"
    source.mkdir(parents=True)
    for original, mirror in ((toolchain, folder), (toolchain / "src", folder / "src")):
        for path in original.iterdir():
            if not (mirror / path.name).exists():
                (mirror / path.name).symlink_to(path.resolve())
    for path in (toolchain / "src" / "runtime").iterdir():
        if path.name in edited:
            (source / path.name).write_text(edited[path.name], encoding="utf-8")
        else:
            (source / path.name).symlink_to(path.resolve())


def _exports(archive: Path) -> bytes:
    """Return what other packages are compiled against: the first member of an archive without its build id."""
    data = archive.read_bytes()
    start = 8 + _MEMBER_HEADER
    member = data[start : start + int(data[8 + 48 : 8 + 58])]
    return b"\n".join(line for line in member.split(b"\n") if not line.startswith(b"build id "))
