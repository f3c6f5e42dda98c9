"""Puts this folder on the path, so that every test finds `strategies`, keeps Hypothesis from timing anything, and
says once whether there is a box."""

from __future__ import annotations

import pytest
from hypothesis import settings

from worldline.core.program import Program
from worldline.errors import NoSandbox
from worldline.recording.recorder import record

settings.register_profile("worldline", deadline=None, max_examples=100)
settings.load_profile("worldline")


@pytest.fixture(scope="session")
def box() -> None:
    """A machine without a box refuses, as it should; then there is nothing to see for the tests that use this."""
    try:
        record(Program(source="pass"))
    except NoSandbox as error:
        pytest.skip(f"no box on this machine: {error}")
