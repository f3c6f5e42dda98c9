"""What several modules of the page's tests share: a browser, runs on disk, and a server that only shows."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import chromium
from runs import Erring, real
from serving import Served, serving
from staged import FIRST, SECOND, stage

__all__ = ["chromium"]


def shared(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that the first of the test processes makes and all of them read."""
    base = factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with open(base / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (base / name).exists():
            make(base / f"{name}.draft")
            (base / f"{name}.draft").rename(base / name)
    return base / name


@pytest.fixture(scope="session")
def erring(tmp_path_factory: pytest.TempPathFactory, sandbox: None) -> tuple[Path, Path]:
    """Two real runs of one small suite; nobody writes into them."""

    def make(folder: Path) -> None:
        real(folder / "first", Erring())
        real(folder / "second", Erring(start=4))

    folder = shared(tmp_path_factory, "erring", make)
    return folder / "first", folder / "second"


@pytest.fixture(scope="session")
def shown(tmp_path_factory: pytest.TempPathFactory, sandbox: None) -> Iterator[Served]:
    """A server without a model, of two staged runs; the first has a long sample too."""

    def make(folder: Path) -> None:
        stage(folder / "one", FIRST, long=True)
        stage(folder / "two", SECOND)

    folder = shared(tmp_path_factory, "staged", make)
    with serving(folder / "one", folder / "two") as server:
        yield server


@pytest.fixture
def page(tabs: tuple[Any, Any]) -> Iterator[Any]:
    """The one tab of a module, which opens it (`tabs`); whatever a test did in it, it must not have complained."""
    page, complaints = tabs
    yield page
    assert complaints.heard == []
