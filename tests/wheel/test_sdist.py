"""The source distribution is complete, and installs also where nothing can be compiled: slower, and it says so."""

from __future__ import annotations

import sys
import tarfile
from pathlib import Path

import pytest
from bare_environment import ROOT, WITHOUT_COMPILER, BareEnvironment
from repository_files import tracked

pytestmark = pytest.mark.long(reason="builds a source distribution and installs it from the package index")

PROGRAM = "def f(n):\n    return [n] * 2\n"


def sdist(dist: Path) -> Path:
    """The source distribution under test."""
    (found,) = dist.glob("worldline-*.tar.gz")
    return found


def test_it_holds_what_a_build_needs_and_nothing_that_was_built(dist: Path) -> None:
    with tarfile.open(sdist(dist)) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {f"{folder}/{name}" for folder in ("src", "native", "recipes") for name in tracked(folder)} <= names
    assert {"setup.py", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md"} <= names
    assert not [name for name in names if name.endswith((".so", ".pyc", ".tmp")) or "node_modules" in name]
    assert not [name for name in names if name.startswith(("tests/", "build/", ".venv"))]


@pytest.mark.usefixtures("sandbox")
def test_without_a_compiler_it_installs_and_says_what_is_slower(dist: Path, tmp_path: Path) -> None:
    environment = BareEnvironment.create("{}.{}".format(*sys.version_info), tmp_path)
    if environment.run("true").returncode:
        pytest.skip(f"this machine lets nobody mount in a namespace of its own: {WITHOUT_COMPILER.relative_to(ROOT)}")
    environment.install(str(sdist(dist)))
    (environment.work / "f.py").write_text(PROGRAM)

    doctor = environment.run("worldline", "doctor").stdout
    assert "native recorder  no" in doctor
    assert "native engine    no" in doctor
    recorded = environment.run("worldline", "record", "f.py", "--call", "f(3)")
    assert recorded.returncode == 0, recorded.stderr
    assert "returned [3, 3]" in recorded.stdout
    assert "no native recorder for" in recorded.stderr
    assert "the readable core serves" in recorded.stderr
    predicted = environment.run("worldline", "imagine", "f.py", "--call", "f(3)")
    assert predicted.returncode == 0, predicted.stderr
    assert "return [3, 3]" in predicted.stdout
    assert "the native engine was not built" in predicted.stderr
