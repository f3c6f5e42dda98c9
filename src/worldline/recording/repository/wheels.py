"""Install packages from wheels with the pip of an interpreter, into a folder of their own.

A wheel is unpacked and not executed. What has no wheel, or contradicts what is more important, is left out and named.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from worldline.core.errors import UsageError
from worldline.recording.repository.requirements import name_of
from worldline.storage import files

__all__ = ["install_wheels"]

_PIP_SECONDS = 900
_MAX_ROUNDS = 40
_NO_WHEEL = re.compile(r"(?:No matching distribution found for|satisfies the requirement) ([A-Za-z0-9._-]+)(.*)")
_FROM = re.compile(r"\(from ([^)]*)\)")


def install_wheels(python: str, requirements: Sequence[str], target: Path) -> list[str]:
    """Install requirements into a folder.

    Args:
        python: The interpreter whose packages they become. Its own folders are not written.
        requirements: In order of importance. The first one must be installable.
        target: The folder, which is empty.

    Returns:
        One note for each requirement that was left out.

    Raises:
        UsageError: There is no pip, or the first requirement cannot be installed.
    """
    pip = _Pip(_pip_command(python), target)
    left, notes = list(requirements), list[str]()
    for _ in range(_MAX_ROUNDS):
        error = pip.install(left)
        if error is None:
            return notes
        culprit = _named_culprit(error, left[1:])
        if culprit is None:
            culprit = _first_conflict(pip, left)
        left.remove(culprit)
        notes.append(f"{culprit!r} is left out: {_reason(error, culprit)}")
    raise UsageError(
        f"more than {_MAX_ROUNDS} requirements of the repository cannot be installed from wheels; "
        "make an environment yourself and pass it with --venv"
    )


@dataclass(frozen=True)
class _Pip:
    command: list[str]
    target: Path

    def install(self, requirements: Sequence[str], *, dry: bool = False) -> str | None:
        """Install requirements into the empty target, or only resolve them; return what pip says if it fails."""
        options = [
            "install",
            "--only-binary",
            ":all:",
            "--no-input",
            "--disable-pip-version-check",
            "--progress-bar",
            "off",
        ]
        options += ["--ignore-installed", "--no-warn-script-location", "--no-warn-conflicts"]
        options += ["--dry-run"] if dry else ["--target", str(self.target)]
        with tempfile.TemporaryDirectory(prefix="worldline-pip-") as folder:
            listed = Path(folder) / "requirements.txt"
            files.write(listed, "".join(f"{line}\n" for line in requirements).encode(), fsync=False)
            # pip must not find a pip.conf or a project in the current folder.
            done = self._run([*self.command, *options, "-r", str(listed)], folder)
        if done.returncode == 0:
            return None
        if not dry:
            for path in self.target.iterdir():
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        return (done.stdout + done.stderr)[-20_000:]

    def _run(self, command: list[str], folder: str) -> subprocess.CompletedProcess[str]:
        settings = {"PIP_REQUIRE_VIRTUALENV": "0", "PIP_USER": "0", "PIP_NO_BUILD_ISOLATION": "1", "LC_ALL": "C.UTF-8"}
        without = {
            key: text for key, text in os.environ.items() if key not in ("PIP_TARGET", "PIP_PREFIX", "PYTHONPATH")
        }
        try:
            return subprocess.run(
                command,
                capture_output=True,
                timeout=_PIP_SECONDS,
                stdin=subprocess.DEVNULL,
                text=True,
                errors="replace",
                cwd=folder,
                env=without | settings,
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise UsageError(
                f"pip did not finish: {error}; check the network and pip's settings (pip config list), "
                "or pass an environment of your own with --venv"
            ) from None


def _pip_command(python: str) -> list[str]:
    """Return the command of pip for an interpreter: its own, or the one of worldline's interpreter."""
    commands = [[python, "-I", "-m", "pip"]]
    own = importlib.util.find_spec("pip")
    if own is not None and own.origin:
        commands.append([python, "-I", os.path.dirname(own.origin)])
    for command in commands:
        try:
            done = subprocess.run([*command, "--version"], capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
        except (OSError, subprocess.SubprocessError):
            continue
        if done.returncode == 0:
            return command
    raise UsageError(
        f"{python} has no pip, so no environment can be made: install it ({python} -m ensurepip), "
        "or pass an environment of your own with --venv"
    )


def _named_culprit(error: str, requirements: Sequence[str]) -> str | None:
    """Return the least important requirement that pip names as having no wheel, itself or through what it needs."""
    for match in reversed(list(_NO_WHEEL.finditer(error))):
        blamed = {name_of(match[1])}
        for parents in _FROM.findall(match[2]):
            blamed |= {name_of(re.split(r"[=<>!~;\[ ]", part)[0]) for part in parents.replace("->", ",").split(",")}
        for requirement in reversed(requirements):
            if name_of(requirement) in blamed:
                return requirement
    return None


def _first_conflict(pip: _Pip, requirements: Sequence[str]) -> str:
    """Return the requirement that the more important ones before it contradict.

    Raises:
        UsageError: Not even the first one can be installed.
    """
    error = pip.install(requirements[:1], dry=True)
    if error is not None:
        lines = [line for line in error.splitlines() if line.startswith(("ERROR", "WARNING"))] or error.splitlines()
        raise UsageError(
            f"pip cannot install {requirements[0]}: {' '.join(lines[-3:])[-600:]}; check the network and pip's "
            "settings (pip config list), or pass an environment of your own with --venv"
        )
    works, fails = 1, len(requirements)
    while fails - works > 1:
        middle = (works + fails) // 2
        if pip.install(requirements[:middle], dry=True) is None:
            works = middle
        else:
            fails = middle
    # If all of them resolve, what failed is the installation: leave out the least important one.
    return requirements[fails - 1]


def _reason(error: str, culprit: str) -> str:
    if _named_culprit(error, [culprit]):
        return "no wheel for this interpreter"
    lines = [line for line in error.splitlines() if line.startswith("ERROR")]
    return (lines[-1] if lines else "pip cannot install it").removeprefix("ERROR: ")[:200]
