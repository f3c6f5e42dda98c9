"""A virtual environment outside the checkout, on a machine that seems to have no compiler and no headers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WITHOUT_COMPILER = ROOT / ".ci" / "wheel" / "without-compiler"
VERSIONS = ("3.11", "3.12", "3.13")
TIMEOUT = 1800
# Variables that say how this machine reaches the package index.
NETWORK = ("PIP_", "SSL_", "REQUESTS_", "HTTP_", "HTTPS_", "NO_", "http_", "https_", "no_")


def find_python(version: str) -> str:
    """An interpreter of this minor version that can make virtual environments, of pyenv or on the path."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    candidates = [*map(str, sorted(pyenv.glob(f"versions/{version}.*/bin/python"))), shutil.which(f"python{version}")]
    if version == "{}.{}".format(*sys.version_info):
        candidates.append(sys.executable)
    for python in filter(None, candidates):
        if subprocess.run([python, "-c", "import ensurepip"], capture_output=True, check=False).returncode == 0:
            return python
    pytest.skip(f"no Python {version} on this machine")


@dataclass(frozen=True)
class BareEnvironment:
    """A virtual environment, and an empty folder in which commands are executed."""

    bin: Path
    work: Path

    @classmethod
    def create(cls, version: str, folder: Path) -> BareEnvironment:
        """Make one in a folder, with pip alone."""
        subprocess.run([find_python(version), "-m", "venv", folder / "env"], check=True)
        (folder / "work").mkdir()
        return cls(folder / "env" / "bin", folder / "work")

    def install(self, *requirements: str) -> None:
        """Install requirements as a user does, also from the index."""
        command = [self.bin / "python", "-m", "pip", "install", "--no-compile", "--progress-bar", "off", *requirements]
        done = self.run(*command, **self.network())
        assert done.returncode == 0, done.stdout + done.stderr

    def network(self) -> dict[str, str]:
        """How this process reaches the package index."""
        return {name: value for name, value in os.environ.items() if name.startswith(NETWORK)}

    def run(self, *command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        """Execute a command with nothing of this process's environment."""
        minimal = {"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(self.work), "COLUMNS": "120", "LANG": "C.UTF-8"}
        if pyenv := os.environ.get("PYENV_ROOT"):
            minimal["PYENV_ROOT"] = pyenv
        return subprocess.run(
            [WITHOUT_COMPILER, *command],
            cwd=self.work,
            env=minimal | environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
