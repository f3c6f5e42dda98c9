"""Runs inside the box beside a file of tests: assertions tell their values here, and tests are run by who can run them.

That is pytest where the box has it, without the plugins that are installed beside it; else unittest for its own
classes, and plain calls for the rest. It goes into the box as a file of the program's, and imports nothing of
worldline. The host trusts nothing that it says further than the tests themselves.
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

NO_PYTEST = "was not run: it takes arguments, and there is no pytest in the box to give them"
COPIED = (list, dict, set, tuple, bytearray)

_seen: list[tuple[int, Any, bool]] = []


class Blank:
    """Stands where a row of parameters has `...`: what is compared with it is its value."""

    def __init__(self, number: int) -> None:
        self.number = number


def blank(number: int) -> Blank:
    """The blank of this number."""
    return Blank(number)


def tell(number: int, value: Any, wanted: Any) -> None:
    """An assertion's value, as it is now, and whether it is what is wanted."""
    if isinstance(value, Blank):
        value, wanted = wanted, value
    snapshot = copy.deepcopy(value) if type(value) in COPIED else value
    if isinstance(wanted, Blank):
        _seen.append((wanted.number, snapshot, True))
    _seen.append((number, snapshot, isinstance(wanted, Blank) or bool(value == wanted)))


def fetch() -> list[tuple[int, Any, bool]]:
    """What was told since this was last asked."""
    values = list(_seen)
    _seen.clear()
    return values


def run(file: str, name: str) -> list[tuple[str, str]]:
    """Runs a function or a class of tests; those that did not pass, and why, in words."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        pytest = importlib.import_module("pytest")
    except ImportError:
        return list(_plainly(name, getattr(sys.modules[file.removesuffix(".py")], name)))
    return _by_pytest(pytest, file, name)


class _Listener:
    """What pytest reports of its tests."""

    def __init__(self) -> None:
        self.found: list[tuple[str, str]] = []
        self.heard = False

    def pytest_runtest_logreport(self, report: Any) -> None:
        """One test was set up, run or taken down."""
        self.heard = True
        name = report.nodeid.partition("[")[0].partition("::")[2].replace("::", ".")
        if report.skipped:
            why = report.longrepr[2] if isinstance(report.longrepr, tuple) else _crash(report.longrepr)
            self.found.append((name, f"was skipped: {why.removeprefix('Skipped: ')}"))
        elif report.failed:
            how = "could not be set up" if report.when == "setup" else "failed"
            self.found.append((name, f"{how}: {_crash(report.longrepr)}"))


def _by_pytest(pytest: Any, file: str, name: str) -> list[tuple[str, str]]:
    listener = _Listener()
    options = ["-q", "--assert=plain", "-c", os.devnull, "--rootdir", os.getcwd(), "-p", "no:cacheprovider"]
    options += ["-p", "no:faulthandler", "-p", "no:unraisableexception", "-p", "no:threadexception"]
    pytest.main([f"{file}::{name}", *options], plugins=[listener])
    return listener.found if listener.heard else [(name, "was not run: pytest finds no test in it")]


def _crash(report: Any) -> str:
    """The sentence of a report that says what went wrong."""
    message = getattr(getattr(report, "reprcrash", None), "message", None) or getattr(
        report, "errorstring", None
    )
    lines = str(message or report).strip().splitlines()
    return lines[0] if message and lines else (lines or ["no reason is told"])[-1]


def _plainly(name: str, item: Any) -> Iterator[tuple[str, str]]:
    """The same without pytest."""
    if isinstance(item, type) and issubclass(item, unittest.TestCase):
        result = unittest.TestResult()
        unittest.defaultTestLoader.loadTestsFromTestCase(item).run(result)
        for test, text in (*result.errors, *result.failures):
            yield f"{name}.{_method(test)}", f"failed: {text.strip().splitlines()[-1]}"
        for test, text in result.skipped:
            yield f"{name}.{_method(test)}", f"was skipped: {text}"
    elif isinstance(item, type):
        for method in (attribute for attribute in dir(item) if attribute.startswith("test")):
            yield from _attempt(f"{name}.{method}", lambda method=method: _on_a_fresh_one(item, method))  # type: ignore[misc]
    elif _takes(item):
        yield name, NO_PYTEST
    else:
        yield from _attempt(name, item)


def _method(test: Any) -> str:
    return str(getattr(test, "_testMethodName", test))


def _on_a_fresh_one(owner: type, name: str) -> None:
    instance = owner()
    for step in ("setup_method", name, "teardown_method"):
        act = getattr(instance, step, None)
        if act is not None:
            act(*([getattr(instance, name)] if step != name and _takes(act) else []))


def _takes(act: Callable[..., Any]) -> bool:
    """Whether it cannot be called without arguments."""
    parameters = inspect.signature(act).parameters.values()
    return any(
        parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        for parameter in parameters
    )


def _attempt(name: str, act: Callable[[], Any]) -> Iterator[tuple[str, str]]:
    try:
        act()
    except (Exception, SystemExit) as error:
        yield name, f"failed: {type(error).__name__}: {error}"
