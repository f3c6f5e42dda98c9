"""Make a virtual environment for the tests of a repository, from its metadata.

Only wheels are installed, by the pip of the host, and no interpreter of the environment is started here, so that
neither the repository nor a package that it names executes anything outside the sandbox. Code that Python executes
when it starts (`.pth` lines and `sitecustomize`) is switched off, because the host later asks the interpreter where
its libraries are. The project itself is not installed: it is imported from the copy in the sandbox, and a
`.dist-info` folder answers `importlib.metadata`.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from worldline.core.errors import DiskError, UsageError
from worldline.recording.interpreter import Python, find
from worldline.recording.repository.metadata import ProjectMetadata, read_metadata
from worldline.recording.repository.wheels import install_wheels
from worldline.storage import files
from worldline.storage.publishing import cache_folder

__all__ = ["Environment", "make_environment"]

_FORMAT = 1
_STAMP = "worldline.json"
_MAX_STAMP_BYTES = 1 << 20
_VENV_SECONDS = 120
_AT_START = ("sitecustomize", "usercustomize")
# Start code of common packages that no test needs: it prepares coverage in sub-processes, or replaces distutils.
_NEEDLESS_AT_START = frozenset({"distutils-precedence.pth", "a1_coverage.pth", "coverage.pth", "pytest-cov.pth"})


@dataclass(frozen=True, kw_only=True)
class Environment:
    """An interpreter with what the tests of a repository need.

    Attributes:
        python: The path of its interpreter.
        notes: What was left out, and why.
        paths: Folders, relative to the repository, that must come first on Python's path, in this order.
        files: Files to add to the copy of the repository, by path: those that its build would write.
    """

    python: str
    notes: tuple[str, ...] = ()
    paths: tuple[str, ...] = (".",)
    files: Mapping[str, str] = field(default_factory=dict)


def make_environment(
    repository: str | Path,
    *,
    python: str | None = None,
    cache: str | Path | None = None,
    say: Callable[[str], None] | None = None,
) -> Environment:
    """Make the environment of a repository, or find the one that was made before from the same metadata.

    Args:
        repository: Its folder, which is read and never written.
        python: The interpreter of the environment. Default: that of worldline.
        cache: The folder of all environments. Default: `$XDG_CACHE_HOME/worldline/environments`.
        say: Receives a line about what takes long.

    Raises:
        UsageError: There is no such folder or interpreter, or pip installs not even pytest.
        DiskError: The environment cannot be written.
    """
    folder = Path(repository)
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder: name the folder of a repository, such as a clone")
    metadata, interpreter = read_metadata(folder), find(python)
    digest = _digest(metadata, interpreter)
    place = Path(cache) if cache else cache_folder() / "environments"
    # The interpreter that executes the tests needs the absolute path.
    target = place.absolute() / digest
    files.make_directory(place)
    with _alone(place / f"{digest}.lock"):
        notes = _made_before(target)
        if notes is None:
            if say:
                say(f"making an environment with {len(metadata.requirements)} requirements for {metadata.name}")
            notes = _make(target, metadata, interpreter)
    return Environment(
        python=str(target / "bin" / "python"),
        notes=(*metadata.notes, *notes),
        paths=metadata.paths,
        files=dict(metadata.files),
    )


def _digest(metadata: ProjectMetadata, python: Python) -> str:
    """Identify an environment by all that goes into it. Import roots and version files go into the copy instead."""
    content = [_FORMAT, python.executable, python.version, python.machine, metadata.name, metadata.version]
    content += [
        list(metadata.requirements),
        list(metadata.modules),
        list(metadata.dependencies),
        metadata.requires_python,
    ]
    points = {group: dict(names) for group, names in metadata.entry_points.items()}
    return hashlib.sha256(json.dumps([content, points], sort_keys=True).encode()).hexdigest()[:24]


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Wait until no other process makes the same environment. A process that ends releases the lock."""
    with files.disk(path):
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        with files.disk(path):
            fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def _made_before(target: Path) -> tuple[str, ...] | None:
    """Return the notes of a complete environment, or None if there is none or it was damaged."""
    with suppress(OSError, DiskError, ValueError, KeyError, TypeError):
        stamp = json.loads(files.read(target / _STAMP, limit=_MAX_STAMP_BYTES) or b"")
        site = target / str(stamp["site"])
        if stamp["names"] == sorted(os.listdir(site)) and os.access(target / "bin" / "python", os.X_OK):
            return tuple(str(note) for note in stamp["notes"])
    return None


def _make(target: Path, metadata: ProjectMetadata, python: Python) -> tuple[str, ...]:
    """Make an environment at its place. The stamp is written last, so half of one is made again."""
    with files.disk(target):
        if target.exists():
            shutil.rmtree(target)
    try:
        site = _make_venv(target, python)
        notes = install_wheels(python.executable, metadata.requirements, site)
        notes += _switch_off_start_code(site)
        _describe_project(site, metadata)
        stamp = {"site": str(site.relative_to(target)), "names": sorted(os.listdir(site)), "notes": notes}
        files.write(target / _STAMP, json.dumps(stamp, indent=1).encode())
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        raise
    return tuple(notes)


def _make_venv(target: Path, python: Python) -> Path:
    """Make an empty virtual environment and return its folder of packages."""
    command = [python.executable, "-I", "-m", "venv", "--without-pip", str(target)]
    try:
        subprocess.run(
            command, capture_output=True, timeout=_VENV_SECONDS, check=True, stdin=subprocess.DEVNULL, text=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        why = (getattr(error, "stderr", "") or str(error)).strip()[-500:]
        raise UsageError(
            f"no virtual environment could be made with {python.executable}: {why}; "
            "install its venv module (Debian: python3-venv), or pass an environment of your own with --venv"
        ) from None
    sites = sorted(target.glob("lib/python*/site-packages"))
    if not sites:
        raise UsageError(
            f"{python.executable} makes virtual environments without lib/python*/site-packages: pass --venv"
        )
    return sites[0]


def _switch_off_start_code(site: Path) -> list[str]:
    """Rename what Python would execute whenever it starts; return a note for each that is not known to be harmless."""
    notes = []
    for path in sorted(site.iterdir()):
        # A `.pth` file also adds folders to the path, which may hold a sitecustomize.
        if path.suffix in (".pth", ".start") or path.name.split(".")[0] in _AT_START:
            with files.disk(path):
                path.rename(path.with_name(path.name + ".off"))
            if path.name not in _NEEDLESS_AT_START:
                notes.append(f"{path.name} of a package is switched off: Python would execute it whenever it starts")
    return notes


def _describe_project(site: Path, metadata: ProjectMetadata) -> None:
    """Write the project's `.dist-info`, and remove that of a released version, which some package may need."""
    name = re.sub(r"[-_.]+", "_", metadata.name)
    for path in site.glob("*.dist-info"):
        if re.sub(r"[-_.]+", "_", path.name.split("-")[0]).lower() == name.lower():
            with files.disk(path):
                shutil.rmtree(path)
    folder = site / f"{name}-{metadata.version}.dist-info"
    files.make_directory(folder)
    lines = ["Metadata-Version: 2.1", f"Name: {metadata.name}", f"Version: {metadata.version}"]
    lines += [f"Requires-Python: {metadata.requires_python}"] if metadata.requires_python else []
    lines += [f"Requires-Dist: {requirement}" for requirement in metadata.dependencies]
    points = [
        line
        for group, names in metadata.entry_points.items()
        for line in (f"[{group}]", *(f"{point} = {target}" for point, target in names.items()), "")
    ]
    contents = {
        "METADATA": "\n".join(" ".join(line.split()) for line in lines) + "\n",
        "INSTALLER": "worldline\n",
        "entry_points.txt": "\n".join(points),
        "top_level.txt": "".join(f"{module}\n" for module in metadata.modules),
    }
    for file, text in contents.items():
        if text:
            files.write(folder / file, text.encode(), fsync=False)
