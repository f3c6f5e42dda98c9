"""Executed in the sandbox next to a test file: assertions report their values here, and tests are executed.

pytest executes them if the sandbox has it, without third-party plugins. Otherwise unittest executes its own classes,
and the rest is called directly. This module is copied into the sandbox and imports nothing of worldline. The host
trusts its report no more than the tests themselves.
"""

from __future__ import annotations

import copy
import importlib
import inspect
import os
import sys
import unittest
from collections.abc import Callable, Iterator
from typing import Any

NO_PYTEST = "was not executed: it takes arguments, and the sandbox has no pytest to pass them"
COPIED_TYPES = (list, dict, set, tuple, bytearray)

_seen: list[tuple[int, Any, bool]] = []


class Blank:
    """Replaces `...` in a row of parameters; its value is what it is compared with."""

    def __init__(self, number: int) -> None:
        self.number = number


def blank(number: int) -> Blank:
    """Return the blank of this number."""
    return Blank(number)


def tell(number: int, value: Any, wanted: Any) -> None:
    """Report the current value of an assertion, and whether it is the expected one."""
    if isinstance(value, Blank):
        value, wanted = wanted, value
    snapshot = copy.deepcopy(value) if type(value) in COPIED_TYPES else value
    if isinstance(wanted, Blank):
        _seen.append((wanted.number, snapshot, True))
    _seen.append((number, snapshot, isinstance(wanted, Blank) or bool(value == wanted)))


def fetch() -> list[tuple[int, Any, bool]]:
    """Return the values reported since the last call."""
    values = list(_seen)
    _seen.clear()
    return values


def run(file: str, name: str) -> list[tuple[str, str]]:
    """Execute a test function or class; return the tests that did not pass, with the reasons."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        pytest = importlib.import_module("pytest")
    except ImportError:
        return list(_run_without_pytest(name, getattr(sys.modules[file.removesuffix(".py")], name)))
    return _run_pytest(pytest, file, name)


class _Listener:
    """Collects the reports of pytest."""

    def __init__(self) -> None:
        self.failures: list[tuple[str, str]] = []
        self.has_reports = False

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Record a test that failed or was skipped."""
        self.has_reports = True
        name = report.nodeid.partition("[")[0].partition("::")[2].replace("::", ".")
        if report.skipped:
            why = report.longrepr[2] if isinstance(report.longrepr, tuple) else _crash(report.longrepr)
            self.failures.append((name, f"was skipped: {why.removeprefix('Skipped: ')}"))
        elif report.failed:
            how = "could not be set up" if report.when == "setup" else "failed"
            self.failures.append((name, f"{how}: {_crash(report.longrepr)}"))


def _run_pytest(pytest: Any, file: str, name: str) -> list[tuple[str, str]]:
    listener = _Listener()
    options = ["-q", "--assert=plain", "-c", os.devnull, "--rootdir", os.getcwd(), "-p", "no:cacheprovider"]
    options += ["-p", "no:faulthandler", "-p", "no:unraisableexception", "-p", "no:threadexception"]
    pytest.main([f"{file}::{name}", *options], plugins=[listener])
    if not listener.has_reports:
        return [(name, "was not executed: pytest finds no test in it")]
    return listener.failures


def _crash(report: Any) -> str:
    """Return the line of a report that says what went wrong."""
    message = getattr(getattr(report, "reprcrash", None), "message", None) or getattr(report, "errorstring", None)
    lines = str(message or report).strip().splitlines()
    return lines[0] if message and lines else (lines or ["no reason is given"])[-1]


def _run_without_pytest(name: str, item: Any) -> Iterator[tuple[str, str]]:
    """Execute tests without pytest."""
    if isinstance(item, type) and issubclass(item, unittest.TestCase):
        result = unittest.TestResult()
        unittest.defaultTestLoader.loadTestsFromTestCase(item).run(result)
        for test, text in (*result.errors, *result.failures):
            yield f"{name}.{_method(test)}", f"failed: {text.strip().splitlines()[-1]}"
        for test, text in result.skipped:
            yield f"{name}.{_method(test)}", f"was skipped: {text}"
    elif isinstance(item, type):
        for method in (attribute for attribute in dir(item) if attribute.startswith("test")):
            yield from _attempt(f"{name}.{method}", lambda method=method: _run_method(item, method))  # type: ignore[misc]
    elif _needs_arguments(item):
        yield name, NO_PYTEST
    else:
        yield from _attempt(name, item)


def _method(test: Any) -> str:
    return str(getattr(test, "_testMethodName", test))


def _run_method(owner: type, name: str) -> None:
    instance = owner()
    for step in ("setup_method", name, "teardown_method"):
        act = getattr(instance, step, None)
        if act is not None:
            act(*([getattr(instance, name)] if step != name and _needs_arguments(act) else []))


def _needs_arguments(act: Callable[..., Any]) -> bool:
    """Whether it cannot be called without arguments."""
    parameters = inspect.signature(act).parameters.values()
    return any(
        parameter.default is parameter.empty and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        for parameter in parameters
    )


def _attempt(name: str, act: Callable[[], Any]) -> Iterator[tuple[str, str]]:
    try:
        act()
    except (Exception, SystemExit) as error:
        yield name, f"failed: {type(error).__name__}: {error}"
