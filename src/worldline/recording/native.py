"""Find the native recorder for an interpreter: built with the package, or compiled once and cached.

Without a compiler or headers the readable core is used, and a note is printed once on stderr.
Builds happen in a private temporary folder and are renamed into the cache, under the digest of the
sources and the ABI.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from worldline.core.errors import DiskError
from worldline.storage import files

_ASK = (
    "import json, sys, sysconfig as s; print(json.dumps({'abi': s.get_config_var('SOABI') or '', "
    "'include': s.get_paths()['include'], 'cc': s.get_config_var('CC') or 'cc', "
    "'version': list(sys.version_info[:2])}))"
)
SUPPORTED = ((3, 11), (3, 12), (3, 13))


@dataclass(frozen=True)
class Build:
    """What compiling for an interpreter needs."""

    abi: str
    include: str
    cc: str
    version: tuple[int, int]


@cache
def recorder_for(python: str) -> Path | None:
    """Return the native recorder for this interpreter, or None if there is none."""
    if os.path.realpath(python) == os.path.realpath(sys.executable):
        module_spec = importlib.util.find_spec("worldline._recorder")
        if module_spec is not None and module_spec.origin is not None:
            return Path(module_spec.origin)
    source = _sources()
    build = _ask(python)
    if source is None or build is None or build.version not in SUPPORTED:
        _say(python, "it is not CPython 3.11 to 3.13, or the sources are missing")
        return None
    target = _cache() / f"recorder-{_digest(source)}-{build.abi}.so"
    if target.exists() or _compile(source, build, target):
        return target
    _say(python, "no C compiler, or no headers")
    return None


def _say(python: str, why: str) -> None:
    print(f"worldline: no native recorder for {python} ({why}); the readable core serves", file=sys.stderr)


def _sources() -> Path | None:
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "native", package.parents[1] / "native"):
        if (folder / "recorder.c").exists():
            return folder
    return None


def _ask(python: str) -> Build | None:
    import msgspec  # imported late, here and below: few starts build anything

    try:
        done = subprocess.run([python, "-I", "-c", _ASK], capture_output=True, timeout=20, check=True)
        return msgspec.json.decode(done.stdout, type=Build)
    except (OSError, subprocess.SubprocessError, msgspec.MsgspecError):
        return None


def _digest(source: Path) -> str:
    import hashlib

    hasher = hashlib.sha256()
    for path in sorted([*source.glob("*.c"), *source.glob("*.h")]):
        hasher.update(path.name.encode() + b"\0" + path.read_bytes())
    return hasher.hexdigest()[:16]


def _cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home) / "worldline"


def _compile(source: Path, build: Build, target: Path) -> bool:
    compiler = shutil.which(build.cc.split()[0]) or shutil.which("cc")
    if compiler is None:
        return False
    import tempfile

    with tempfile.TemporaryDirectory(prefix="worldline-build-") as folder:
        output = Path(folder) / "recorder.so"
        command = [
            compiler,
            "-O2",
            "-shared",
            "-fPIC",
            f"-I{build.include}",
            str(source / "recorder.c"),
            "-o",
            str(output),
        ]
        try:
            subprocess.run(command, capture_output=True, timeout=120, check=True)
            files.make_directory(target.parent)
            files.write(target, output.read_bytes())
        except (OSError, subprocess.SubprocessError, DiskError):
            return False
    return True
