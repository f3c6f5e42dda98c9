"""Where a value comes from: the step that wrote it, and what that step read."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from worldline.diagnose.failure.evaluation import Evaluation

Keys = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ExpressionRead:
    """An expression that a statement evaluated, or the part of its value under `keys`."""

    evaluation: Evaluation
    node: ast.AST
    keys: Keys = ()


@dataclass(frozen=True, eq=False)
class NameRead:
    """A name of a frame before step `at`, or the part of its value under `keys`."""

    frame: int
    name: str
    keys: Keys
    at: int


@dataclass(frozen=True, eq=False)
class YieldRead:
    """What a generator yielded at a step, or the part of it under `keys`."""

    step: int
    keys: Keys = ()


Read = ExpressionRead | NameRead | YieldRead


@dataclass(frozen=True, eq=False, kw_only=True)
class Origin:
    """A step that gave a value to a name or handed it on, and what it read. `feeds`: the link that it explains."""

    kind: str
    step: int
    name: str
    keys: Keys = ()
    before: str | None = None
    after: str | None = None
    note: str = ""
    reads: tuple[Read, ...] = ()
    is_copy: bool = False
    feeds: int | None = None
