"""Attributes that C code defines, taken from the type's own dict and checked: no class of a program can forge them."""

from __future__ import annotations

import builtins
import types
from collections.abc import Callable
from typing import Any

from ..kinds import TYPE_DICT, mro_of, static_name

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

_OF_C = (
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
)


def attribute(cls: type[Any], name: str) -> Callable[..., Any] | None:
    """Return what reads or calls an attribute that the C code of this very type defines; None if it does not."""
    descriptor: Any = TYPE_DICT(cls).get(name)
    if type(descriptor) not in _OF_C or descriptor.__objclass__ is not cls or descriptor.__name__ != name:
        return None
    is_data = type(descriptor) in _OF_C[:2]
    return descriptor.__get__ if is_data else descriptor  # type: ignore[no-any-return]


def attributes(cls: type[Any], names: tuple[str, ...]) -> dict[str, Callable[..., Any]] | None:
    """Return several attributes of one type; None if one of them is missing."""
    readers = {name: attribute(cls, name) for name in names}
    present = {name: get for name, get in readers.items() if get is not None}
    return present if len(present) == len(names) else None


def static_base(cls: type[Any], name: str) -> type[Any] | None:
    """Return the type of C of this full name that a type is or inherits from."""
    return next((base for base in mro_of(cls) if static_name(base) == name), None)
