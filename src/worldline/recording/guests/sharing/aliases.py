"""Find the names of a frame that share one value which can change."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..canonical import Renderer, is_shareable
from ..frames import OpenFrame

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away


def new_aliases(
    frame: OpenFrame, names: Iterable[str], values: Mapping[str, Any], renderer: Renderer
) -> Iterator[tuple[str, str | None]]:
    """Yield the names of a frame that share the value of another earlier name now (None: of none any more)."""
    first: dict[int, str] = {}
    for name in names:
        if name not in values:
            continue
        value = values[name]
        earliest = first.setdefault(id(value), name) if is_shareable(value, renderer) else name
        alias = None if earliest == name else earliest
        if frame.aliases.get(name) != alias:
            frame.aliases[name] = alias
            yield name, alias
