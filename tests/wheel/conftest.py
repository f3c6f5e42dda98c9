"""The distributions under test, and a bare environment with each: no compiler, no headers, no checkout."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from bare_environment import ROOT, WITHOUT_COMPILER, BareEnvironment

MakeEnvironment = Callable[[str], BareEnvironment]


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `make wheel` built (WORLDLINE_DIST), or an sdist and a wheel for this interpreter, built now."""
    if built := os.environ.get("WORLDLINE_DIST"):
        return Path(built).resolve()
    if "gcc" not in (sysconfig.get_config_var("CC") or ""):
        pytest.skip("this interpreter was not built by gcc")
    # Test processes side by side share one folder, because two builds in one checkout would disturb each other.
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "dist"
    version = "{}.{}".format(*sys.version_info)
    with (folder.with_suffix(".lock")).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not list(folder.glob("*.whl")):
            subprocess.run([ROOT / ".ci" / "wheel" / "build", folder, version], check=True)
    return folder


@pytest.fixture(scope="session")
def bare(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> MakeEnvironment:
    """Return a bare environment with the wheel of a Python version; one per version and session."""
    if subprocess.run([WITHOUT_COMPILER, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount in a namespace of its own")

    @cache
    def make(version: str) -> BareEnvironment:
        wheels = list(dist.glob(f"worldline-*-cp{version.replace('.', '')}-*.whl"))
        if not wheels:
            pytest.skip(f"no wheel for Python {version} in {dist}")
        environment = BareEnvironment.create(version, tmp_path_factory.mktemp(f"bare{version}"))
        environment.install(str(wheels[0]))
        return environment

    return make
