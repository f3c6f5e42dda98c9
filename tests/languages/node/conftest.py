"""One warm box for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from worldline.core.limits import Limits
from worldline.recording.recorder import SandboxWorker, prepare


@pytest.fixture(scope="module")
def recorder() -> Iterator[SandboxWorker]:
    worker = SandboxWorker(prepare(limits=Limits(wall=60), python=None, core="auto", trust=False))
    yield worker
    worker.close()
