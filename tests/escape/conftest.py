"""The sandboxes that must hold every probe: each provider, where this machine has it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from worldline.recording.providers import PROVIDERS
from worldline.recording.recorder import using_sandbox

SLOW = pytest.mark.long("a sandbox for each program")
PARAMETERS = [pytest.param(name, marks=SLOW if PROVIDERS[name].single_use else ()) for name in sorted(PROVIDERS)]


@pytest.fixture(scope="module", params=PARAMETERS)
def provider(request: pytest.FixtureRequest) -> Iterator[str]:
    """Execute what the test records in each sandbox."""
    executable = PROVIDERS[request.param].executable
    if shutil.which(executable) is None:
        pytest.skip(f"no {executable} on this machine: the sandbox {request.param} is not tested")
    with using_sandbox(request.param):
        yield request.param
