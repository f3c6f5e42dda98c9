"""Checks a value against the part of JSON Schema that describes requests, also in the OpenAPI description.

Supported: `type`, `enum`, `const`, `oneOf`, `required`, `properties` (others are refused), `minimum`, `maximum`,
`minLength`, `maxLength`, `pattern`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict, "array": list, "string": str, "number": (int, float), "integer": int, "boolean": bool,
    "null": type(None),
}  # fmt: skip


def fault(value: Any, schema: Mapping[str, Any], at: str = "the body") -> str | None:
    """Describe what is wrong with a value, or return None if it matches the schema."""
    if "oneOf" in schema:
        faults = [fault(value, option, at) for option in schema["oneOf"]]
        return None if faults.count(None) == 1 else next(filter(None, reversed(faults)), f"{at} is ambiguous")
    if "const" in schema and value != schema["const"]:
        return f"{at} is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{at} is not one of {', '.join(map(str, schema['enum']))}"
    if "type" in schema and not _is(value, schema["type"]):
        return f"{at} is not of type {_named(schema['type'])}"
    if isinstance(value, dict) and ("properties" in schema or "required" in schema):
        return _object(value, schema, at)
    if isinstance(value, str):
        return _text(value, schema, at)
    return _number(value, schema, at) if isinstance(value, int | float) else None


def number(text: str) -> int | str:
    """Parse an integer of an address. Other text is returned unchanged, and `fault` refuses it."""
    return int(text) if re.fullmatch(r"0|[1-9][0-9]{0,8}", text, re.ASCII) else text


def _named(wanted: str | list[str]) -> str:
    return wanted if isinstance(wanted, str) else " or ".join(wanted)


def _is(value: Any, wanted: str | list[str]) -> bool:
    names = [wanted] if isinstance(wanted, str) else wanted
    if isinstance(value, bool):
        return "boolean" in names
    return any(isinstance(value, _TYPES[name]) for name in names)


def _object(value: dict[str, Any], schema: Mapping[str, Any], at: str) -> str | None:
    known = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            return f"{at} has no {name}"
    for name, item in value.items():
        if name not in known:
            return f"{at} has an unknown field {name[:100]!r}; known are {', '.join(known)}"
        if (wrong := fault(item, known[name], name)) is not None:
            return wrong
    return None


def _text(value: str, schema: Mapping[str, Any], at: str) -> str | None:
    if len(value) > schema.get("maxLength", len(value)):
        return f"{at} is longer than {schema['maxLength']} characters"
    if len(value) < schema.get("minLength", 0):
        return f"{at} is shorter than {schema['minLength']} characters"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        return f"{at} is not of the form {schema['pattern']}"
    return None


def _number(value: float, schema: Mapping[str, Any], at: str) -> str | None:
    if isinstance(value, float) and math.isnan(value):
        return f"{at} is not a number"
    if value < schema.get("minimum", value):
        return f"{at} is less than {schema['minimum']}"
    if value > schema.get("maximum", value):
        return f"{at} is more than {schema['maximum']}"
    return None
