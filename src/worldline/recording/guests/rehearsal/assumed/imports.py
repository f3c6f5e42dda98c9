"""Modules: one that is not installed becomes an unknown module, and some that are get their functions replaced.

Only what the script itself imports is assumed. A library that can do without a module goes on doing so.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from sys import _getframe
from types import ModuleType
from typing import Any

from ..script_frames import asks_itself, place
from .answers import BY_NOBODY, BY_STUB, Answers
from .unknown import attribute_of, unknown

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

Patch = Callable[[ModuleType], None]


class UnknownModule(ModuleType):
    """A module that is not installed."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        value = attribute_of(unknown(self.__name__, root=True), name)
        self.__dict__[name] = value
        return value


class MissingModules(MetaPathFinder, Loader):
    """Finds what no other finder has. `told` lists the first names that were assumed, or would have been."""

    def __init__(self, report: Callable[[str, Any], None], answers: Answers | None) -> None:
        self._report, self._answers = report, answers

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return an unknown module if the script imports it; only report it if nothing is assumed."""
        frame = _getframe(1)
        parent = name.rpartition(".")[0]
        below = isinstance(sys.modules.get(parent), UnknownModule)
        if not below and not asks_itself(frame):
            return None
        if self._answers is None:
            self._report(name, frame)
            return None
        if not below:
            is_stubbed = any(stub.partition(".")[0] == name for stub in self._answers.stubs)
            self._answers.assume(f"import {name}", "", BY_STUB if is_stubbed else BY_NOBODY, _outer(frame))
        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Create an unknown module."""
        return UnknownModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Execute nothing: what the script takes from the module is looked up then."""


def _outer(frame: Any) -> Any:
    while frame.f_back is not None and not place(frame)[1]:
        frame = frame.f_back
    return frame


class PatchedModules(MetaPathFinder):
    """Patches a module when it has been imported."""

    def __init__(self, patches: dict[str, list[Patch]]) -> None:
        self._patches = patches
        for name in [name for name in patches if name in sys.modules]:
            self.apply(sys.modules[name])

    def apply(self, module: ModuleType) -> None:
        """Apply the patches of a module, once."""
        for patch in self._patches.pop(module.__name__, ()):
            patch(module)

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        """Return the real module with another loader, if it has patches."""
        if name not in self._patches:
            return None
        spec = PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            spec.loader = _PatchingLoader(spec.loader, self)
        return spec


class _PatchingLoader(Loader):
    def __init__(self, loader: Any, patched: PatchedModules) -> None:
        self._loader, self._patched = loader, patched

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        module: ModuleType | None = self._loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        self._patched.apply(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


def stub_patches(answers: Answers) -> dict[str, list[Patch]]:
    """Return what the user's stubs replace in modules that are installed, by module."""
    patches: dict[str, list[Patch]] = {}
    for name, stub in answers.stubs.items():
        parts = name.split(".")
        if all(part.isidentifier() for part in parts):
            for at in range(1, len(parts)):
                patches.setdefault(".".join(parts[:at]), []).append(_replacing(answers, name, parts[at:], stub))
    return patches


def _replacing(answers: Answers, name: str, inner: list[str], stub: Any) -> Patch:
    def patch(module: ModuleType) -> None:
        owner: Any = module
        for part in inner[:-1]:
            owner = getattr(owner, part, None)
        if owner is not None and hasattr(owner, inner[-1]):
            setattr(owner, inner[-1], answers.call_stub(name, stub))

    return patch
