"""What several modules of the page's tests share: a browser, runs on disk, and a server that only shows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import chromium
from runs import Erring, real
from serving import Served, serving
from staged import FIRST, SECOND, stage

__all__ = ["chromium"]


@pytest.fixture(scope="session")
def erring(tmp_path_factory: pytest.TempPathFactory, box: None) -> tuple[Path, Path]:
    """Two real runs of one small suite; nobody writes into them."""
    folder = tmp_path_factory.mktemp("erring")
    first, second = folder / "first", folder / "second"
    real(first, Erring())
    real(second, Erring(start=4))
    return first, second


@pytest.fixture(scope="session")
def shown(tmp_path_factory: pytest.TempPathFactory, box: None) -> Iterator[Served]:
    """A server without a model, of two staged runs; the first has a long sample too."""
    folder = tmp_path_factory.mktemp("staged")
    with serving(stage(folder / "one", FIRST, long=True), stage(folder / "two", SECOND)) as server:
        yield server
