"""Which object a line hands on: `b = a`, `log = account.log`, `f(xs)`, `return xs`, `grid.append(row)`.

A trace says which names of one frame share an object, but not when a name shares one with a part of another value or
with a name of another frame. The source does, where it hands an object on without an operation in between. A slice or
a call of a library may copy, so they hand on nothing. Python is read by its syntax tree, other languages by words.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from worldline.analyze.flow.operations import expression, statements
from worldline.core.language import LANGUAGES, all_lines
from worldline.diagnose.why.operands import parameters, reads_of_argument, reads_of_result

_STORE = re.compile(r"^\s*([^\W\d][\w$]*)((?:\.[^\W\d][\w$]*|\[\d{1,6}\])+)\s*=\s*([^\W\d][\w$]*)\s*;?\s*(?://.*)?$")
_KEY = re.compile(r"\.[^\W\d][\w$]*|\[\d+\]")
_PATH = r"([^\W\d][\w$]*)((?:\.[^\W\d][\w$]*|\[\d{1,6}\])*)\s*;?\s*(?://.*)?$"
_READ = re.compile(r"(?<![\w$.])([^\W\d][\w$]*)\s*(?::[^=;]*)?=\s*" + _PATH)
_RETURN = re.compile(r"\breturn\s+" + _PATH)
_PUSH = re.compile(r"^\s*([^\W\d][\w$]*)\.push\(\s*([^\W\d][\w$]*)\s*\)\s*;?\s*(?://.*)?$")
_DISPLAY = re.compile(r"(?<![\w$.])([^\W\d][\w$]*)\s*=\s*\[([^\[\]'\"]*)\]\s*;?\s*(?://.*)?$")
_WORD = re.compile(r"\s*&?\s*([^\W\d][\w$]*)\s*")


class ReadObject(NamedTuple):
    """An object that a line reads: a name and the keys to a part of it, where a `None` key stands for any element."""

    name: str
    keys: tuple[str | ast.Name | None, ...] = ()


class StoredObject(NamedTuple):
    """A line that stores the object of a name (`value`) as a part of another one; a new object, if it is None."""

    name: str
    keys: tuple[str | ast.Name | None, ...]
    value: str | None


LAST = "[-1]"
"""The key of the last element: that of `append`."""


@lru_cache(maxsize=4096)
def assigned_object(source: str, line: int, name: str, language: str) -> ReadObject | None:
    """Return what a line makes a name another name of; None if it computes a new value."""
    if not LANGUAGES[language].has_syntax_tree:
        match = _READ.search(_line(source, line, language))
        return ReadObject(match[2], _keys(match[3])) if match and match[1] == name else None
    for node in reversed(statements(source, line)):
        if isinstance(node, (ast.For, ast.AsyncFor)) and isinstance(node.target, ast.Name) and node.target.id == name:
            iterated = _read(node.iter)
            return None if iterated is None else ReadObject(iterated.name, (*iterated.keys, None))
        value = expression(node, name, "line")
        if value is not None:
            return _read(value)
    return None


@lru_cache(maxsize=4096)
def is_call(source: str, line: int, name: str | None, language: str) -> bool:
    """Whether a line gives a name, or what it returns, exactly what a call returned."""
    if not LANGUAGES[language].has_syntax_tree:
        text = _line(source, line, language)
        target = r"return\b" if name is None else rf"(?<![\w$.]){re.escape(name)}\s*(?::[^=;]*)?="
        return re.search(target + r"\s*[\w$.]+\s*\([^()]*\)\s*;?\s*(?://.*)?$", text) is not None
    event = "return" if name is None else "line"
    values = (expression(node, name, event) for node in reversed(statements(source, line)))
    return isinstance(next((value for value in values if value is not None), None), ast.Call | ast.Await)


@lru_cache(maxsize=4096)
def returned_object(source: str, line: int, language: str) -> ReadObject | None:
    """Return what a line returns without an operation."""
    if not LANGUAGES[language].has_syntax_tree:
        match = _RETURN.search(_line(source, line, language))
        return ReadObject(match[1], _keys(match[2])) if match else None
    nodes = reads_of_result(source, line, "return", "", ("", "")).nodes
    return _read(nodes[0]) if len(nodes) == 1 else None


@lru_cache(maxsize=4096)
def returned_parts(source: str, line: int, language: str) -> tuple[tuple[str, ReadObject], ...]:
    """Return what a line returns inside a new tuple or list, with the keys: `return total, log`."""
    if not LANGUAGES[language].has_syntax_tree:
        return ()
    values = (expression(node, None, "return") for node in reversed(statements(source, line)))
    display = next((value for value in values if value is not None), None)
    items = display.elts if isinstance(display, ast.Tuple | ast.List) else []
    reads = ((f"[{i}]", _read(item)) for i, item in enumerate(items))
    return tuple((key, read) for key, read in reads if read is not None)


class CalledFunction(NamedTuple):
    """A function that is called: its name, the first line of its source, its file's source, and its arguments."""

    name: str
    source: str
    line: int
    arguments: tuple[str, ...]


@lru_cache(maxsize=4096)
def passed_object(source: str, line: int, name: str, called: CalledFunction, language: str) -> ReadObject | None:
    """Return what the caller's line passes for a parameter without an operation."""
    if LANGUAGES[language].has_syntax_tree:
        known = parameters(called.source, called.line, called.name)
        nodes = reads_of_argument(source, line, name, known, called.name).nodes if known else ()
        return _read(nodes[0]) if len(nodes) == 1 else None
    pattern = rf"(?<![\w$]){re.escape(called.name.rpartition('.')[2])}\s*\(([^()]*)\)"
    match = re.search(pattern, _line(source, line, language))
    passed = match[1].split(",") if match else []
    if name not in called.arguments or len(passed) != len(called.arguments):
        return None
    word = _WORD.fullmatch(passed[called.arguments.index(name)])
    return ReadObject(word[1]) if word else None


@lru_cache(maxsize=4096)
def stored_objects(source: str, line: int, language: str) -> tuple[StoredObject, ...]:
    """Return the objects that a line stores as parts of others: `a.b = c`, `xs.append(c)`, `pair = [a, b]`."""
    if LANGUAGES[language].has_syntax_tree:
        return tuple(stored for node in statements(source, line) for stored in _stored(node))
    text = _line(source, line, language)
    if match := _STORE.match(text):
        return (StoredObject(match[1], _keys(match[2]), match[3]),)
    if match := _PUSH.match(text):
        return (StoredObject(match[1], (LAST,), match[2]),)
    match = _DISPLAY.search(text)
    words = [_WORD.fullmatch(item) for item in match[2].split(",")] if match else []
    return tuple(StoredObject(match[1], (f"[{i}]",), word[1]) for i, word in enumerate(words) if match and word)


def _stored(node: ast.stmt) -> Iterator[StoredObject]:
    match node:
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript() as target], value=value):
            place = _read(target)
            if place is not None:
                yield StoredObject(place.name, place.keys, value.id if isinstance(value, ast.Name) else None)
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=items) | ast.Tuple(elts=items)):
            yield from (StoredObject(name, (f"[{i}]",), item.id) for i, item in _names(items))
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict(keys=keys, values=items)):
            for i, item in _names(items):
                key = keys[i]
                if isinstance(key, ast.Constant) and isinstance(key.value, (int, str)):
                    yield StoredObject(name, (f"[{key.value!r}]",), item.id)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="append"), args=[argument])):
            place = _read(owner)
            if place is not None:
                yield StoredObject(
                    place.name, (*place.keys, LAST), argument.id if isinstance(argument, ast.Name) else None
                )


def _names(items: Sequence[ast.expr]) -> Iterator[tuple[int, ast.Name]]:
    """The elements before the first starred one that are names, with their places."""
    for i, item in enumerate(items):
        if isinstance(item, ast.Starred):
            return
        if isinstance(item, ast.Name):
            yield i, item


def _read(node: ast.AST) -> ReadObject | None:
    """A name or a part of one; None for anything that may compute a new value."""
    keys: list[str | ast.Name | None] = []
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        match node:
            case ast.Attribute(attr=attribute):
                keys.append(f".{attribute}")
            case ast.Subscript(slice=ast.Name() as index):
                keys.append(index)
            case ast.Subscript(slice=ast.Constant(value=int() | str() as value)) if not isinstance(value, bool):
                keys.append(f"[{value!r}]")
            case ast.Subscript(slice=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value))):
                keys.append(f"[-{value}]")
            case _:
                return None
        node = node.value
    return ReadObject(node.id, tuple(reversed(keys))) if isinstance(node, ast.Name) else None


def _keys(path: str) -> tuple[str, ...]:
    return tuple(_KEY.findall(path))


def _line(source: str, line: int, language: str) -> str:
    lines = all_lines(source, language)
    return lines[line - 1] if 0 < line <= len(lines) else ""
