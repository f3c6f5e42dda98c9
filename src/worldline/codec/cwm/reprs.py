"""Values as Python's repr writes them in Meta's traces, respelled as canonical values write the same thing.

Only what has no structure is respelled (functions, classes, modules, iterators, members of enums) and the triple that
an exception frame carries; the rest is Python's literals, which `core.value` reads as they are. Objects keep what
their repr says: what that tells of a true value is equality.py's. Text inside string literals is left alone, and so
is canonical text: respelling it changes nothing.
"""

from __future__ import annotations

import re

_LITERAL = re.compile(r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\"""", re.DOTALL)
_TRIPLE = re.compile(r"\(<class '[^']*'>, (.*), <traceback object[^>]*>\)\Z", re.DOTALL)
_NEXT = re.compile(r"""['"<]|\.<locals>\.""")
_INSIDE = re.compile(r"""['"<>]""")
_QUALIFIED = re.compile(r"[^\W\d][\w.]*\Z")
_NAMED = re.compile(
    r"(function|bound method|built-in function|built-in method|class|module|generator object|coroutine object|"
    r"async_generator object|code object) (.+)\Z",
    re.DOTALL,
)
_INSTANCE = re.compile(r"((?:[\w.]|<locals>)+) object(?: at 0x[0-9a-fA-F]+|;.*)?\Z", re.DOTALL)
_MEMBER = re.compile(r"((?:[\w.]|<locals>)+)\.([^\W\d]\w*(?:\|[^\W\d]\w*)*): .*\Z", re.DOTALL)
_TAIL = re.compile(r" at 0x| of | from | \((?:built-in|frozen|namespace)\)|,")
_TYPES = {
    "method": re.compile(r"'\w+' of '"), "slot": re.compile(r"wrapper '\w+' of '"),
    "method-wrapper": re.compile(r"'\w+' of "), "memory": re.compile(r"at 0x"),
    "frame": re.compile(r"at 0x"), "cell": re.compile(r"at 0x"), "attribute": re.compile(r"'\w+' of '"),
    "member": re.compile(r"'\w+' of '"),
}  # fmt: skip
TYPES = {
    "method": "method_descriptor", "slot": "wrapper_descriptor", "method-wrapper": "'method-wrapper'",
    "memory": "memoryview", "frame": "frame", "cell": "cell", "attribute": "getset_descriptor",
    "member": "member_descriptor",
}  # fmt: skip
KINDS = {
    "function": "function", "bound method": "method", "built-in function": "builtin",
    "built-in method": "builtin", "class": "class", "module": "module", "generator object": "generator",
    "coroutine object": "coroutine", "async_generator object": "async_generator", "code object": "code",
}  # fmt: skip


def respelled(value: str, *, raised: bool = False) -> str:
    """The canonical spelling of a repr; `raised`: it is what an exception frame carries."""
    triple = _TRIPLE.match(value) if raised else None
    value = triple[1] if triple else value
    if "<" not in value:
        return value
    parts, at = list[str](), 0
    while (match := _NEXT.search(value, at)) is not None:
        start = match.start()
        parts.append(value[at:start])
        if match[0] == ".<locals>.":  # the class of an object that shows itself by its qualified name
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
    """Where what `<` opens is closed; behind the `<` where nothing closes it."""
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
    """What has no structure, by its kind and name; anything else as it is."""
    inner = text[1:-1]
    named = _NAMED.match(inner)
    if named is not None:
        name = _TAIL.split(named[2], maxsplit=1)[0].strip("'")
        last = name if named[1] == "module" else _last(name)
        return f"<{KINDS[named[1]]} {last}>"
    member, instance = _MEMBER.match(inner), _INSTANCE.match(inner)
    if member is not None:
        return f"{_last(member[1])}.{member[2]}"
    if instance is not None:
        return f"<{_last(instance[1])}>"
    head, _, rest = inner.partition(" ")
    if head in _TYPES and _TYPES[head].match(rest):
        return f"<{TYPES[head]}>"
    return (
        "<classmethod>"
        if inner.startswith("classmethod(")
        else "<staticmethod>"
        if inner.startswith("staticmethod(")
        else text
    )


def _last(name: str) -> str:
    """The last part of a qualified name."""
    return name.rpartition(".")[2]
