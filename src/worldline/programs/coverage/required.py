"""The entries that every dataset must execute at least once: the language's forms, builtins and methods.

Methods and builtins are those of the running Python; `LEFT_OUT` lists the exceptions and their reasons.
"""

from __future__ import annotations

import builtins

_REASONS = {
    "which element it takes is up to the hash seed": "method set.pop",
    "newer than the oldest Python that is supported": "method int.is_integer",
    "made by `site`, for a person at a prompt": """
    builtin copyright; builtin credits; builtin exit; builtin help; builtin license; builtin quit
    """,
    "needs an event loop, whose frames are not the program's": """
    async def; async for; async with; await; builtin aiter; builtin anext
    """,
    "reaches outside of the program, or shows what is no part of its trace": """
    builtin breakpoint; builtin compile; builtin dir; builtin eval; builtin exec; builtin globals; builtin id;
    builtin input; builtin locals; builtin open; builtin vars
    """,
    "no source of programs writes it yet": """
    builtin complex; builtin delattr; builtin issubclass; builtin object; builtin setattr; method bytes.maketrans;
    op +x; op @; op @=; try star; literal complex
    """,
}
LEFT_OUT = {entry.strip(): why for why, several in _REASONS.items() for entry in several.split(";")}
_FORMS = """
if; elif; if else; for; for else; while; while else; return; assign; augmented assign;
annotated assign; raise; try; try else; finally; except; with; assert; del; pass; break; continue;
expression statement; match; def; class; import; from import; lambda; conditional; :=; yield;
yield from; list comprehension; set comprehension; dict comprehension; generator expression;
comprehension if; comprehension nested; f-string; unpacking; starred unpacking; chained assign;
item assign; slice assign; attribute assign; chained comparison; call; default argument; *args;
**kwargs; keyword-only argument; positional-only argument; annotations; decorator; global; nonlocal;
nested def; recursion; async def; async for; async with; await; try star; keyword argument;
starred argument; double-starred argument
"""
_OPERATORS = """
+ - * / // % ** << >> | ^ & ~ not -x +x @ and or == != < <= > >= is is_not in not_in += -= *= //= %= **= |= &=
^= <<= >>= /= @=
"""
_TYPES: tuple[type, ...] = (str, list, dict, set, tuple, bytes, int, float)
_SUBSCRIPTS = """[i] [-i] | [i:] [:j] [i:j] [:] [-i:] [:-j] [::k] [::-k] [i::k] [i:j:k]"""
_LITERALS = """
single-quoted double-quoted escape raw bytes int hex octal binary float exponent complex triple-quoted
underscored_int unicode
"""
_FORMATS = "< > ^ sign # 0 width precision group nested d f e g x o b %"
_PATTERNS = "value singleton sequence mapping class star as or"
_EXCEPTIONS = "ValueError KeyError IndexError TypeError ZeroDivisionError"
_EVENTS = "call line return raise yield resume output"


def _required() -> tuple[str, ...]:
    entries = [form.strip() for form in _FORMS.split(";")]
    entries += [f"op {mark.replace('_', ' ')}" for mark in _OPERATORS.split()]
    entries += [f"method {kind.__name__}.{name}" for kind in _TYPES for name in _callable(kind)]
    entries += [f"builtin {name}" for name in _callable(builtins) if name[0].islower()]
    indices, _, slices = _SUBSCRIPTS.partition("|")
    entries += [f"index {shape}" for shape in indices.split()] + [f"slice {shape}" for shape in slices.split()]
    entries += [f"literal {word.replace('_', ' ')}" for word in _LITERALS.split()]
    entries += [f"format {word}" for word in _FORMATS.split()] + ["f-string !r"]
    entries += [f"pattern {word}" for word in _PATTERNS.split()]
    entries += [f"{outcome} {name}" for name in _EXCEPTIONS.split() for outcome in ("raised", "caught")]
    entries += [f"event {name}" for name in _EVENTS.split()]
    return tuple(entry for entry in entries if entry not in LEFT_OUT)


def _callable(owner: object) -> list[str]:
    """Return the public callables of a type or module."""
    return [name for name in dir(owner) if name[0] != "_" and callable(getattr(owner, name))]


REQUIRED = _required()
