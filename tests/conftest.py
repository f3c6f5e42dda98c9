"""What all tests share: tiers, Hypothesis profiles, one thread per process, and the check that a sandbox exists.

It also puts this folder on the path, so that every test finds `strategies` and its neighbours.
"""

from __future__ import annotations

import gc
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cpu_time
import pytest
from hypothesis import HealthCheck, settings
from tiers import IS_FULL
from xdist.scheduler import LoadFileScheduling

# The test processes fill the cores: more threads only wait for each other (training takes a third of the CPU time with
# one). torch and numpy read it when they are imported, which nothing above does; child processes inherit it.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

# No test depends on how busy the machine is.
for profile, max_examples in (("fast", 20), ("full", 100)):
    settings.register_profile(
        profile, deadline=None, max_examples=max_examples, suppress_health_check=[HealthCheck.too_slow]
    )
settings.load_profile("full" if IS_FULL else "fast")

INTERPRETERS = ("3.11", "3.12", "3.13")
THIS_INTERPRETER = "{}.{}".format(*sys.version_info)
STARTS_A_PROCESS = {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.exec", "os.system"}
_unit_test: list[str] = []


def pytest_configure(config: pytest.Config) -> None:
    """Measure CPU time, and watch that unit tests start no process."""
    cpu_time.register(config, is_usual_run=not IS_FULL)
    sys.addaudithook(_refuse_processes)


class FileScheduling(LoadFileScheduling):  # type: ignore[misc]
    """One process per file, and one for all of `architecture/`: its files read the same sources, parsed once."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        return "architecture" if "/architecture/" in file else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> FileScheduling:
    """Deal out the tests."""
    return FileScheduling(config, log)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import files that the tier has no test in: in `make test` those that are `long` as a whole."""
    tier = config.getoption("markexpr")
    if tier not in ("unit", "not long") or not collection_path.name.startswith("test_"):
        return None
    text = collection_path.read_text(encoding="utf-8")
    if tier == "unit":
        return None if "pytest.mark.unit" in text else True
    return True if "\npytestmark = pytest.mark.long(" in text else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the tests, and mark as `long`: cases on another interpreter, and what `sampled(keep)` leaves out."""
    cpu_time.sort_by_cost(items)
    groups: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
        if any(map(_names_another_interpreter, parameters)):
            item.add_marker(pytest.mark.long)
        elif item.get_closest_marker("sampled"):
            groups[item.nodeid.partition("[")[0]].append(item)
    for cases in groups.values():
        marker = cases[0].get_closest_marker("sampled")
        keep = marker.args[0] if marker else len(cases)
        positions = {at * len(cases) // keep for at in range(keep)}
        for at, item in enumerate(cases):
            if at not in positions:
                item.add_marker(pytest.mark.long)


def _names_another_interpreter(parameter: object) -> bool:
    if isinstance(parameter, tuple):
        return any(map(_names_another_interpreter, parameter))
    return isinstance(parameter, str) and parameter in INTERPRETERS and parameter != THIS_INTERPRETER


def pytest_collection_finish() -> None:
    """Keep the garbage collector from visiting thousands of collected tests again and again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    """Say which unit test runs, for the audit hook."""
    is_unit = item.get_closest_marker("unit") is not None
    _unit_test[:] = [item.nodeid] if is_unit else []
    result = yield
    _unit_test.clear()
    return result


def _refuse_processes(event: str, arguments: tuple[object, ...]) -> None:
    if _unit_test and event in STARTS_A_PROCESS:
        raise AssertionError(f"{_unit_test[0]} is marked `unit` and starts a process ({event})")


@pytest.fixture(scope="session")
def sandbox() -> None:
    """Skip where there is no sandbox: a machine without one refuses to record, as it should."""
    from worldline.core.errors import NoSandbox
    from worldline.core.program import Program
    from worldline.recording.recorder import record

    try:
        record(Program(source="pass"))
    except NoSandbox as error:
        pytest.skip(f"no sandbox on this machine: {error}")
