"""How a program happens to be written: quotes, comments, docstrings, augmented or plain assignment, guards, imports.

Applied to the text of a finished program; each habit is drawn once a program. It changes how a thing is said and now
and then what it does (a guard returns early), never whether it is valid Python.
"""

from __future__ import annotations

import ast
import random
import re

_DOC = re.compile(r'^ *"""[^"]*"""\n', re.MULTILINE)
# A default without an annotation has no blanks around its `=`.
_HEADER = re.compile(r"^ *def .*$", re.MULTILINE)
_SPACED = re.compile(r"(\(|, )(\w+) = ")
_COMMENT = re.compile(r"^ *# .*\n|  # .*$", re.MULTILINE)
_AUGMENTED = re.compile(
    r"^( *)([\w.]+(?:\[\w+\])?) (\+|-|\*)= ([\w.]+(?:\(\w*\))?|\w+\[\w+\])$", re.MULTILINE
)
_SINGLE = re.compile(r"'([^'\"\\\n]*)'")
_RETURN = re.compile(r"^( +)return (?!lambda)([\w.]+[(\[].*[)\]]|.+ [-+*%] .+)$", re.MULTILINE)
_DEF = re.compile(
    r"^def (\w+)\((\w+)[^()]*\)( -> [^:]+)?:\n(?! *(?:\"\"\"|if|global|nonlocal))", re.MULTILINE
)
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


def restyle(source: str, name: str, rng: random.Random) -> str:
    """The same program in one writer's habits; `name` is the function that is called."""
    source = _HEADER.sub(lambda match: _SPACED.sub(r"\1\2=", match[0]), source)
    if rng.random() < 0.75:
        source = _DOC.sub("", source)
    if rng.random() < 0.7:
        source = _COMMENT.sub("", source)
    if rng.random() < 0.2:
        source = _AUGMENTED.sub(r"\1\2 = \2 \3 \4", source)
    if rng.random() < 0.12:
        source = _named_return(source, rng)
    if rng.random() < 0.07:
        source = _guarded(source, name, rng)
    if rng.random() < 0.2:
        source = _SINGLE.sub(r'"\1"', source)
    if rng.random() < 0.4:
        source = re.sub(r"\b(List|Dict|Set|Tuple)\[", lambda match: match[1].lower() + "[", source)
    if rng.random() < 0.06:
        source = re.sub(r"^ +", lambda match: match[0][: len(match[0]) // 2], source, flags=re.MULTILINE)
    return _imports(source) + source.strip("\n") + "\n"


def without_idle_argument(source: str, call: str) -> tuple[str, str]:
    """The program without its last parameter, where that has a default and nothing reads it."""
    name = call.partition("(")[0]
    found = re.search(rf"^def {name}\(([^()]*), (\w+)(?:: \w+ )?=[^,()]*\)", source, re.MULTILINE)
    if not found or len(re.findall(rf"\b{found[2]}\b", source + call)) > 1:
        return source, call
    tree = ast.parse(call, mode="eval")
    if isinstance(tree.body, ast.Call) and len(tree.body.args) > found[1].count(",") + 1:
        tree.body.args.pop()
        call = ast.unparse(tree)
    start, end = found.span()
    return f"{source[:start]}def {name}({found[1]}){source[end:]}", call


def _named_return(source: str, rng: random.Random) -> str:
    """`return EXPRESSION` through a name, at the last return that is one expression on one line."""
    found = list(_RETURN.finditer(source))
    if not found:
        return source
    last = found[-1]
    text = last[2]
    name = next(
        word for word in rng.sample(("ans", "result", "output", "ret", "answer"), 5) if word not in source
    )
    if any(text.count(a) != text.count(b) for a, b in ("()", "[]", "{}")):
        return source
    return f"{source[: last.start()]}{last[1]}{name} = {text}\n{last[1]}return {name}{source[last.end() :]}"


def _guarded(source: str, name: str, rng: random.Random) -> str:
    """A guard as the function's first statement, where it has no docstring or test there already."""
    for match in _DEF.finditer(source):
        if match[1] == name and match[2] != "self":
            test = rng.choice(("not {0}", "not {0}", "{0} is None", "not {0}"))
            value = rng.choice(("None", "[]" if ".append(" in source else "0", "None", "-1", "False"))
            guard = f"    if {test.format(match[2])}:\n        return {value}\n"
            return source[: match.end()] + guard + source[match.end() :]
    return source


def _imports(source: str) -> str:
    """The import lines that the text needs."""
    words = set(re.findall(r"\b\w+\b", source))
    lines = [f"import {module}" for module in _MODULES if module in words and f"{module}." in source]
    lines += [line for word, line in _LIBRARY.items() if word in words and f".{word}" not in source]
    typed = [word for word in _TYPING if re.search(rf"(?:: |-> |\[|, ){word}\b", source)]
    if typed:
        lines.append("from typing import " + ", ".join(typed))
    if not lines:
        return ""
    return "\n".join(lines) + "\n\n" + ("\n" if len(lines) > 1 else "")
