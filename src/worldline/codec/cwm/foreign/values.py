"""Values as Python's repr writes them in Meta's traces, respelled as canonical values write the same thing.

Only what has no structure is respelled (functions, classes, modules, iterators, views) and the triple that an exception
frame carries; the rest is Python's literals, which `core.value` reads as they are. Objects with a repr of their own
keep it: what is in them is not in the text. Text inside string literals is left alone.
"""

from __future__ import annotations

import re

_LITERAL = r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\""""
_NESTED = r"[^<>]*+(?:<[^<>]*+>[^<>]*+)*+"
_OPAQUE = re.compile(
    rf"(?P<literal>{_LITERAL})"
    rf"|<(?P<kind>function|bound method|built-in function|built-in method|class|module|generator object|"
    rf"coroutine object|async_generator object) (?P<name>{_NESTED})>"
    rf"|<(?P<type>[\w.]+(?:\.<locals>\.[\w.]+)*) object(?: at 0x[0-9a-fA-F]+)?>",
    re.DOTALL,
)
_TRIPLE = re.compile(r"\(<class '[^']*'>, (.*), <traceback object[^>]*>\)\Z", re.DOTALL)
_VIEW = re.compile(r"dict_(?:items|keys|values)(?=\()")
KINDS = {
    "function": "function",
    "bound method": "method",
    "built-in function": "builtin",
    "built-in method": "builtin",
    "class": "class",
    "module": "module",
    "generator object": "generator",
    "coroutine object": "coroutine",
    "async_generator object": "async_generator",
}


def respelled(value: str, *, ascii_only: bool = True) -> str:
    """The canonical spelling of a repr; `ascii_only` says which of its two types an iterator over a string has."""
    triple = _TRIPLE.match(value)
    value = triple[1] if triple else value
    view = _VIEW.match(value)
    if view and value.endswith(")"):
        return f"<{view[0]}>"
    if "<" not in value:
        return value
    return _OPAQUE.sub(lambda match: _opaque(match, ascii_only), value)


def _opaque(match: re.Match[str], ascii_only: bool) -> str:
    if match["literal"] is not None:
        return match["literal"]
    if match["type"] is not None:
        name = match["type"].rpartition(".")[2]
        return "<str_ascii_iterator>" if name == "str_iterator" and ascii_only else f"<{name}>"
    name = match["name"].partition(" at 0x")[0].partition(" of ")[0].partition(" from ")[0].strip("'")
    last = name if match["kind"] == "module" else name.rpartition(".")[2]
    return f"<{KINDS[match['kind']]} {last}>"
