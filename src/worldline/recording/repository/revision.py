"""Read another revision of a repository with git: its files, and what changed since. The repository is never written.

The *before* side of a comparison has the sources of the revision and the tests of the working tree, because a fix
usually adds the test that fails without it.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from worldline.core.errors import UsageError
from worldline.core.repository.source_change import ChangedFile, SourceChange

MANIFEST = ".manifest.json"  # of a directory that worldline writes
# Names that are not part of a repository: version control, environments, caches.
EXCLUDED = (
    *(".git", ".hg", ".tox", ".nox", ".venv", "venv", ".eggs", "node_modules"),
    *(".mypy_cache", ".ruff_cache", ".pytest_cache", "__pycache__"),
)
MAX_SECONDS = 120.0  # for one git command
TEST_FOLDERS = frozenset({"test", "tests", "testing"})
_TEST_NAME = re.compile(r"test_.*\.py|.*_test\.py|tests?\.py|conftest\.py")
# No pager, no hooks, no configured diff programs, no locks in the user's repository.
_SETTINGS = ("-c", "core.fsmonitor=false", "-c", "core.quotePath=false")


def is_test_path(path: str) -> bool:
    """Tell whether a path belongs to the tests: by its folder, or by its name."""
    *folders, name = path.split("/")
    return not TEST_FOLDERS.isdisjoint(folders) or _TEST_NAME.fullmatch(name) is not None


def revision_of(repository: str | Path, rev: str = "HEAD") -> str:
    """Return the commit that a revision names.

    Raises:
        UsageError: The folder is not in a git repository, or has no such revision.
    """
    if not rev or rev.startswith("-"):
        raise UsageError(f"{rev!r} is not a revision: pass a commit, a branch or a tag")
    return _git(repository, "rev-parse", "--verify", "--quiet", f"{rev}^{{commit}}", what=rev).decode().strip()


def has_changes(repository: str | Path) -> bool:
    """Tell whether the working tree differs from its last commit, untracked files included, datasets excluded."""
    lines = _git(repository, "status", "--porcelain", "-z", "--untracked-files=normal", "--", ".").split(b"\0")
    top = Path(os.fsdecode(_git(repository, "rev-parse", "--show-toplevel").rstrip(b"\n")))
    return any(line and not (line[:2] == b"??" and _holds_dataset(top / os.fsdecode(line[3:]))) for line in lines)


def content_revision(repository: str | Path) -> str:
    """Return a name for the content of a folder that has no revision: `+` and a digest of its files."""
    hasher, root = hashlib.sha256(), Path(repository)
    for folder, folders, names in os.walk(root):
        here = Path(folder)
        folders[:] = sorted(name for name in folders if name not in EXCLUDED and not _holds_dataset(here / name))
        for name in sorted(names):
            path = here / name
            if path.is_file() and not path.is_symlink() and os.access(path, os.R_OK):
                hasher.update(os.fsencode(path.relative_to(root).as_posix()) + b"\0")
                hasher.update(hashlib.sha256(path.read_bytes()).digest())
    return f"+{hasher.hexdigest()[:39]}"


def _holds_dataset(folder: Path) -> bool:
    """Whether a folder, or one directly in it, was written by worldline: it is not part of the repository."""
    return folder.is_dir() and any(next(folder.glob(pattern), None) for pattern in (MANIFEST, f"*/{MANIFEST}"))


def files_at(repository: str | Path, rev: str) -> dict[str, bytes | None]:
    """Return the sources of a revision where they differ from the working tree.

    Laid over a copy of the working tree, they make the *before* side of a comparison: the sources of the revision with
    the tests of the working tree.

    Args:
        repository: A folder of a git repository; only what is under it is compared.
        rev: The revision.

    Returns:
        The contents by path, tests left out; None for a file that the revision does not have.

    Raises:
        UsageError: There is no such revision.
    """
    commit, prefix = revision_of(repository, rev), _prefix(repository)
    files: dict[str, bytes | None] = {}
    for old, new in _renames(repository, commit):
        if new and not is_test_path(new):
            files[new] = None
        if old and not is_test_path(old):
            files[old] = _git(repository, "cat-file", "blob", f"{commit}:{prefix}{old}")
    return files


def source_change(repository: str | Path, rev: str) -> SourceChange:
    """Compare a working tree with a revision.

    Args:
        repository: A folder of a git repository; only what is under it is compared.
        rev: The revision.

    Returns:
        The Python files that differ, with both texts. A renamed file is one file with two paths.

    Raises:
        UsageError: There is no such revision.
    """
    commit = revision_of(repository, rev)
    root, prefix = Path(repository), _prefix(repository)
    files, others = list[ChangedFile](), list[str]()
    for old, new in _renames(repository, commit):
        name = new or old
        if not name.endswith(".py"):
            others.append(name)
        else:
            before = _text(_git(repository, "cat-file", "blob", f"{commit}:{prefix}{old}")) if old else ""
            after = _text((root / new).read_bytes()) if new else ""
            is_test = is_test_path(name)
            files.append(ChangedFile(path=new, old_path=old, before=before, after=after, is_test=is_test))
    return SourceChange(since=commit, files=tuple(files), other_paths=tuple(others))


def changed_lines(repository: str | Path, rev: str) -> dict[str, tuple[frozenset[int], frozenset[int]]]:
    """Return by path the lines that changed since a revision: as numbered there, and in the working tree."""
    change = source_change(repository, rev)
    return {file.path or file.old_path: (file.lines.changed_before, file.lines.changed_after) for file in change.files}


def _renames(repository: str | Path, commit: str) -> Iterator[tuple[str, str]]:
    """Yield the path before and after of each file that differs; empty for none. Untracked files are added ones."""
    options = ("--no-ext-diff", "--no-textconv", "--name-status", "-z", "-M", "--relative", commit, "--", ".")
    fields = iter(_names(_git(repository, "diff", *options)))
    for status in fields:
        if status[0] in "RC":
            old, new = next(fields), next(fields)
            yield old if status[0] == "R" else "", new
        else:
            name = next(fields)
            is_there = (Path(repository) / name).is_file()
            yield "" if status == "A" else name, name if is_there and status != "D" else ""
    for name in _names(_git(repository, "ls-files", "-z", "--others", "--exclude-standard", "--", ".")):
        if (Path(repository) / name).is_file():
            yield "", name


def _names(data: bytes) -> list[str]:
    return [os.fsdecode(name) for name in data.split(b"\0") if name]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _prefix(repository: str | Path) -> str:
    """The path of the folder in its repository, with a slash at the end; empty for the whole repository."""
    return os.fsdecode(_git(repository, "rev-parse", "--show-prefix").rstrip(b"\n"))


def _git(repository: str | Path, *arguments: str, what: str = "") -> bytes:
    command = ["git", "-C", str(repository), *_SETTINGS, *arguments]
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            command, capture_output=True, check=False, timeout=MAX_SECONDS, stdin=subprocess.DEVNULL, env=environment
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise UsageError(f"git cannot be executed: {error}") from None
    if done.returncode == 0:
        return done.stdout
    reason = done.stderr.decode("utf-8", "replace").strip().splitlines()
    if reason and "not a git repository" in reason[0]:
        raise UsageError(f"{repository} is not in a git repository: --since needs its history")
    if what:
        raise UsageError(f"{repository} has no revision {what!r}: pass a commit, a branch or a tag")
    raise UsageError(f"git {arguments[0]} failed in {repository}: {reason[0] if reason else 'no reason given'}")
