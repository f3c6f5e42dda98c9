"""One writer's habits: quotes, comments, augmented assignment, named results, guards, hints, imports.

They rewrite the text of a program made from a template; each habit is drawn once per program. A habit may change
behaviour (a guard returns early), but the program stays valid Python.
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from random import Random

from worldline.core.program import Program

_DOC = re.compile(r'^ *"""[^"]*"""\n', re.MULTILINE)
_REMARK = re.compile(r"^ *# .*\n|  # .*$", re.MULTILINE)
# A default without an annotation has no blanks around its `=`.
_HEADER = re.compile(r"^ *def .*$", re.MULTILINE)
_SPACED = re.compile(r"(\(|, )(\w+) = ")
_AUGMENTED = re.compile(
    r"^( *)([\w.]+(?:\[\w+\])?) (\+|-|\*)= ([\w.]+(?:\(\w*\))?|\w+\[\w+\]|'[^'\n]*')$", re.MULTILINE
)
_STRING = re.compile(r'"""|"(?:[^"\\\n]|\\.)*"|\'((?:[^\'\\\n]|\\.)*)\'')
_RETURN = re.compile(r"^( +)return (?!lambda)([\w.]+[(\[].*[)\]]|.+ [-+*%] .+)$", re.MULTILINE)
_DEF = re.compile(r"^def (\w+)\((\w+)[^()]*\)( -> [^:]+)?:\n(?! *(?:\"\"\"|if|global|nonlocal|yield))", re.MULTILINE)
_IDLE = re.compile(r"^def (\w+)\(([^()]*), (\w+)(?:: \w+ )?=[^,()]*\)", re.MULTILINE)
_WORD = re.compile(r"\w+")
_IMPORT = re.compile(r"^(?:from|import) .*$", re.MULTILINE)
_PARAGRAPH = re.compile(r"^( {8}.*\n)( {4}(?:return|for|while) )", re.MULTILINE)
_GENERIC = re.compile(r"\b(List|Dict|Set|Tuple)\[")
_TYPING = ("Any", "Callable", "Dict", "Iterator", "List", "Optional", "Set", "Tuple")
_LIBRARY = {
    "deque": "from collections import deque",
    "defaultdict": "from collections import defaultdict",
    "Counter": "from collections import Counter",
    "namedtuple": "from collections import namedtuple",
    "reduce": "from functools import reduce",
    "lru_cache": "from functools import lru_cache",
    "wraps": "from functools import wraps",
    "dataclass": "from dataclasses import dataclass",
    "Enum": "from enum import Enum",
}
_MODULES = ("bisect", "functools", "heapq", "itertools", "math", "operator")
_NEEDING = frozenset((*_TYPING, *_LIBRARY, *_MODULES))


def written(rng: Random, program: Program) -> Program:
    """Rewrite a program in one writer's style and add the imports that it needs."""
    source, call = without_idle_argument(program.source, program.call or "")
    name = call.partition("(")[0]
    source = _HEADER.sub(lambda match: _SPACED.sub(r"\1\2=", match[0]), source)
    if '"""' in source and rng.random() < 0.75:
        source = _DOC.sub("", source)
    if "# " in source and rng.random() < 0.7:
        source = _REMARK.sub("", source)
    if rng.random() < 0.18:
        source = _AUGMENTED.sub(r"\1\2 = \2 \3 \4", source)
    if rng.random() < 0.08:
        source = _named_return(source, rng)
    if rng.random() < 0.04:
        source = _guarded(source, name, rng)
    if rng.random() < 0.03:
        source = _PARAGRAPH.sub(r"\1\n\2", source)
    if rng.random() < 0.03:
        source = _hinted(source, call, rng)
    if rng.random() < 0.02:
        call = _by_keyword(source, call)
    if rng.random() < 0.15:
        source, call = double_quoted(source), double_quoted(call)
    if "[" in source and rng.random() < 0.4:
        source = _GENERIC.sub(lambda match: match[1].lower() + "[", source)
    source = _imports(source) + source.strip("\n") + "\n"
    return replace(program, source=source, call=None if program.call is None else call)


def without_idle_argument(source: str, call: str) -> tuple[str, str]:
    """Drop the last parameter of the called function if it has a default and nothing reads it."""
    name = call.partition("(")[0]
    header = next((candidate for candidate in _IDLE.finditer(source) if candidate[1] == name), None)
    if header is None or _WORD.findall(source + call).count(header[3]) > 1:
        return source, call
    tree = ast.parse(call, mode="eval")
    if isinstance(tree.body, ast.Call) and len(tree.body.args) > header[2].count(",") + 1:
        tree.body.args.pop()
        call = ast.unparse(tree)
    start, end = header.span()
    return f"{source[:start]}def {name}({header[2]}){source[end:]}", call


def _named_return(source: str, rng: Random) -> str:
    """Assign the last one-line `return EXPRESSION` to a name first."""
    returns = list(_RETURN.finditer(source))
    if not returns:
        return source
    last = returns[-1]
    text = last[2]
    free = (word for word in rng.sample(("ans", "result", "output", "ret", "answer"), 5) if word not in source)
    name = next(free, "")
    if not name or any(text.count(a) != text.count(b) for a, b in ("()", "[]", "{}")):
        return source
    return f"{source[: last.start()]}{last[1]}{name} = {text}\n{last[1]}return {name}{source[last.end() :]}"


def _guarded(source: str, name: str, rng: Random) -> str:
    """Insert a guard as the function's first statement, unless a docstring or a test stands there."""
    for match in _DEF.finditer(source):
        if match[1] == name and match[2] != "self":
            test = rng.choice(("not {0}", "not {0}", "{0} is None", "not {0}"))
            value = rng.choice(("None", "[]" if ".append(" in source else "0", "None", "-1", "False"))
            guard = f"    if {test.format(match[2])}:\n        return {value}\n"
            return source[: match.end()] + guard + source[match.end() :]
    return source


def parameters(source: str, name: str) -> list[str]:
    """Return the names of the function's parameters, if all are bare names."""
    head = re.search(rf"^def {name}\(([\w, ]*)\):", source, flags=re.MULTILINE)
    return head[1].split(", ") if head and head[1] else []


def _arguments(call: str) -> list[ast.expr]:
    """Return the positional arguments of a call without keywords."""
    body = ast.parse(call or "None", mode="eval").body
    return body.args if isinstance(body, ast.Call) and not body.keywords else []


def _hinted(source: str, call: str, rng: Random) -> str:
    """Annotate the parameters with the types of the arguments; sometimes add a docstring."""
    name = call.partition("(")[0]
    names, arguments = parameters(source, name), _arguments(call)
    if not names or len(names) != len(arguments):
        return source
    try:
        kinds = [type(ast.literal_eval(argument)).__name__ for argument in arguments]
    except ValueError:
        return source
    if "NoneType" in kinds:
        return source
    opening = f"def {name}({', '.join(f'{argument}: {kind}' for argument, kind in zip(names, kinds, strict=True))}):"
    if rng.random() < 0.3 and name != "f":
        opening += f'\n    """{name.replace("_", " ").capitalize()}."""'
    return source.replace(f"def {name}({', '.join(names)}):", opening)


def _by_keyword(source: str, call: str) -> str:
    """Pass the last argument of the call by name."""
    names, arguments = parameters(source, call.partition("(")[0]), _arguments(call)
    if not names or len(names) != len(arguments) or "@" in source:  # a decorator may take none
        return call
    at = arguments[-1].col_offset
    text = call.encode()
    return (text[:at] + f"{names[-1]}=".encode() + text[at:]).decode()


def double_quoted(source: str) -> str:
    """Use double quotes for strings that need no escape for it."""
    if '"""' in source:
        return source

    def swap(match: re.Match[str]) -> str:
        inner = match[1]
        if inner is None or '"' in inner:
            return match[0]
        return '"' + inner.replace("\\'", "'") + '"'

    return _STRING.sub(swap, source)


def _imports(source: str) -> str:
    """Return the import lines that the text needs and does not have."""
    words = _NEEDING.intersection(_WORD.findall(source))
    if not words:
        return ""
    lines = [f"import {module}" for module in _MODULES if module in words and f"{module}." in source]
    lines += [line for word, line in _LIBRARY.items() if word in words and f".{word}" not in source]
    typed = [word for word in _TYPING if word in words and re.search(rf"(?:: |-> |\[|, ){word}\b", source)]
    if typed:
        lines.append("from typing import " + ", ".join(typed))
    if "import " in source:
        had = set(_WORD.findall(" ".join(_IMPORT.findall(source))))
        lines = [line for line in lines if line.rpartition(" ")[2] not in had]
    if not lines:
        return ""
    return "\n".join(lines) + "\n\n" + ("\n" if len(lines) > 1 else "")
