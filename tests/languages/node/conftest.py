"""One warm box for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from worldline.core.limits import Limits
from worldline.recording.recorder import BoxWorker, prepare


@pytest.fixture(scope="module")
def recorder() -> Iterator[BoxWorker]:
    worker = BoxWorker(prepare(limits=Limits(wall=60), python=None, core="auto", trust=False))
    yield worker
    worker.close()
