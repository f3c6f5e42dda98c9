"""Values as Python's repr writes them in Meta's traces, respelled as canonical values.

Only values without structure are respelled (functions, classes, modules, iterators, enum members), and the triple
that an exception frame carries; the rest are Python literals, which `core.value` reads. Objects keep their repr:
equality.py compares it with a true value. Text inside string literals and canonical text stay unchanged.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from worldline.analyze.flow.control import syntax

_LITERAL = re.compile(r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\"""", re.DOTALL)
_TRIPLE = re.compile(r"\(<class '[^']*'>, (.*), <traceback object[^>]*>\)\Z", re.DOTALL)
_NEXT = re.compile(r"""['"<]|\.<locals>\.""")
_INSIDE = re.compile(r"""['"<>]""")
_QUALIFIED = re.compile(r"[^\W\d][\w.]*\Z")
_INSTANCE = re.compile(r"((?:[\w.]|<locals>)+) object(?: at 0x[0-9a-fA-F]+|;.*)?\Z", re.DOTALL)
_MEMBER = re.compile(r"((?:[\w.]|<locals>)+)\.([^\W\d]\w*(?:\|[^\W\d]\w*)*): .*\Z", re.DOTALL)
_TAIL = re.compile(r" at 0x| of | from | \((?:built-in|frozen|namespace)\)|,")
# The first word of a repr, what must follow it, and the type.
_TYPES = {
    "method": (re.compile(r"'\w+' of '"), "method_descriptor"),
    "slot": (re.compile(r"wrapper '\w+' of '"), "wrapper_descriptor"),
    "method-wrapper": (re.compile(r"'\w+' of "), "'method-wrapper'"),
    "memory": (re.compile(r"at 0x"), "memoryview"),
    "frame": (re.compile(r"at 0x"), "frame"),
    "cell": (re.compile(r"at 0x"), "cell"),
    "attribute": (re.compile(r"'\w+' of '"), "getset_descriptor"),
    "member": (re.compile(r"'\w+' of '"), "member_descriptor"),
}
_KINDS = {
    "function": "function",
    "bound method": "method",
    "built-in function": "builtin",
    "built-in method": "builtin",
    "class": "class",
    "module": "module",
    "generator object": "generator",
    "coroutine object": "coroutine",
    "async_generator object": "async_generator",
    "code object": "code",
}
_NAMED = re.compile(rf"({'|'.join(_KINDS)}) (.+)\Z", re.DOTALL)


def respelled(value: str, *, raised: bool = False) -> str:
    """Return the canonical spelling of a repr. `raised`: it is the value of an exception frame."""
    triple = _TRIPLE.match(value) if raised else None
    value = triple[1] if triple else value
    if "<" not in value:
        return value
    parts, at = list[str](), 0
    while (match := _NEXT.search(value, at)) is not None:
        start = match.start()
        parts.append(value[at:start])
        # The class of an object that shows its qualified name.
        if match[0] == ".<locals>.":
            parts[-1] = _QUALIFIED.sub("", parts[-1])
            at = match.end()
            continue
        at = _literal_end(value, start) if match[0] != "<" else _close(value, start)
        parts.append(value[start:at] if match[0] != "<" else _opaque(value[start:at]))
    return "".join([*parts, value[at:]])


def _literal_end(text: str, at: int) -> int:
    match = _LITERAL.match(text, at)
    return match.end() if match else at + 1


def _close(text: str, at: int) -> int:
    """The end of what `<` opens, or the place after `<` if nothing closes it."""
    depth, start = 1, at
    at += 1
    while (match := _INSIDE.search(text, at)) is not None:
        at = match.end()
        if match[0] in "'\"":
            at = _literal_end(text, match.start())
        else:
            depth += 1 if match[0] == "<" else -1
        if not depth:
            return at
    return start + 1


def _opaque(text: str) -> str:
    """A value without structure, by its kind and name; anything else unchanged."""
    inner = text[1:-1]
    named = _NAMED.match(inner)
    if named is not None:
        name = _TAIL.split(named[2], maxsplit=1)[0].strip("'")
        last = name if named[1] == "module" else _last(name)
        return f"<{_KINDS[named[1]]} {last}>"
    member, instance = _MEMBER.match(inner), _INSTANCE.match(inner)
    if member is not None:
        return f"{_last(member[1])}.{member[2]}"
    if instance is not None:
        return f"<{_last(instance[1])}>"
    head, _, rest = inner.partition(" ")
    if head in _TYPES and _TYPES[head][0].match(rest):
        return f"<{_TYPES[head][1]}>"
    wrapper = inner.partition("(")[0]
    return f"<{wrapper}>" if wrapper in ("classmethod", "staticmethod") and wrapper != inner else text


def _last(name: str) -> str:
    """The last part of a qualified name."""
    return name.rpartition(".")[2]


# ---- classes that define their own repr

# Library bases whose subclasses have a repr that follows from the value.
_PREDICTABLE_BASES = frozenset({
    "Enum", "IntEnum", "Flag", "IntFlag", "StrEnum", "NamedTuple", "namedtuple", "ABC", "Protocol", "Generic",
    "Counter", "OrderedDict", "defaultdict", "deque", "TypedDict", "Thread",
    *(name for name, value in vars(builtins).items() if isinstance(value, type)),
})  # fmt: skip


@dataclass(frozen=True)
class OwnReprs:
    """The classes of a source, and those whose repr is their own or comes from an unknown base.

    Such a repr is not in a recording.
    """

    classes: frozenset[str]
    own: frozenset[str]


@lru_cache(maxsize=256)
def own_reprs(source: str) -> OwnReprs:
    """Return the classes of a source by name; of two with one name, either decides."""
    tree = syntax(source)
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)] if tree is not None else []
    classes = frozenset(node.name for node in nodes)
    own = {node.name for node in nodes if _defines_repr(node) or set(_bases(node)) - classes - _PREDICTABLE_BASES}
    while more := {node.name for node in nodes if node.name not in own and own & set(_bases(node))}:
        own |= more
    return OwnReprs(classes, frozenset(own))


def _defines_repr(node: ast.ClassDef) -> bool:
    names = (name for statement in node.body for name in _bound(statement))
    return "__repr__" in names or any(keyword.arg == "metaclass" for keyword in node.keywords)


def _bound(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.FunctionDef):
        yield statement.name
    elif isinstance(statement, ast.Assign):
        yield from (target.id for target in statement.targets if isinstance(target, ast.Name))


def _bases(node: ast.ClassDef) -> Iterator[str]:
    """The last names of the bases; for a call or a subscript, the name of what is called or indexed."""
    for base in node.bases:
        while isinstance(base, (ast.Call, ast.Subscript)):
            base = base.func if isinstance(base, ast.Call) else base.value
        yield base.attr if isinstance(base, ast.Attribute) else base.id if isinstance(base, ast.Name) else "?"
