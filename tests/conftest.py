"""Puts this folder on the path, so that every test finds `strategies`, keeps Hypothesis from timing anything and torch
and numpy from starting threads, and says once whether there is a box."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

# No test depends on how busy the machine is.
settings.register_profile(
    "worldline", deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("worldline")

# The test processes fill the cores: more threads only wait for each other (training takes a third of the CPU time with
# one). It is read when torch and numpy are imported, so nothing of worldline is imported before; children inherit it.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")


@pytest.fixture(scope="session")
def box() -> None:
    """A machine without a box refuses, as it should; then there is nothing to see for the tests that use this."""
    from worldline.core.program import Program
    from worldline.errors import NoSandbox
    from worldline.recording.recorder import record

    try:
        record(Program(source="pass"))
    except NoSandbox as error:
        pytest.skip(f"no box on this machine: {error}")
