"""Finds the calls of a function in the text of its tests, with the values of their arguments.

A name counts as its value if the text sets it once, to a literal, and only passes it on. A call with any other argument
is left out: nothing is evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from worldline.codec.literals import NotLiteral, Reader, mapping, spelled

_SET = re.compile(r"(?<![\w$.])(?P<name>[A-Za-z_$][\w$]*)\s*+(?::\s*+[^=;()]{1,200}?)?\s*+:?=(?![=>])\s*")
_TOUCHED = (  # set, changed in place, or used for its attributes
    r"(?<![\w$.])NAME\s*+(?::[^=;()]{1,200}?)?\s*+:?=(?![=>])|(?<![\w$.])NAME\s*(?:\.|\[|[-+*/%&|^]=|\+\+|--)"
    r"|(?:\+\+|--|&mut\s+)NAME\b"
)
# Unclosed comments and strings take the rest, and others are bounded: a search takes linear time.
_LITERAL = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:[^\"\\\n]|\\.)*+(?:\"|(?=\n)|\\?\Z)|'(?:[^'\\\n]|\\.){0,400}'|`[^`]*`", re.DOTALL
)
_RUST_LITERAL = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:[^\"\\]|\\.)*+(?:\"|\\?\Z)|'(?:[^'\\]|\\.)'", re.DOTALL)
_SCRIPT_FUNCTION = re.compile(
    r"(?:(?:const|let|var)\s+([\w$]+)\s*=\s*(?:async\s*)?(?:function|\()|function\s+([\w$]+)\s*\()", re.MULTILINE
)
_JAVA_METHOD = re.compile(r"public\s+(?:static\s+)?(?:<[^>]*>\s*)?[\w<>\[\],\s?.]{1,400}?\s+(\w+)\s*\(", re.MULTILINE)
_C_FUNCTION = re.compile(
    r"^(?!\s{0,400}(?:return|else|using|typedef|#))[\w:<>,*&\s]{1,400}?[\s*&](\w+)\s*\([^;{}]*\)\s*\{", re.MULTILINE
)
_RUST_FUNCTION = re.compile(r"fn\s+(\w+)\s*(?:<[^>]*>)?\s*\(", re.MULTILINE)
_GO_FUNCTION = re.compile(r"^func\s+(\w+)\s*[(\[]", re.MULTILINE)


@dataclass(frozen=True)
class CallSyntax:
    """How languages differ in the text of tests.

    Attributes:
        function: Matches the functions that a source defines.
        veil: Matches quoted text and comments.
        has_types_first: The type of a parameter comes before its name.
        ends_statements: A statement has an end mark, so that a cut value is noticed.
    """

    function: re.Pattern[str]
    veil: re.Pattern[str] = _LITERAL
    has_types_first: bool = False
    ends_statements: bool = True


_SCRIPT = CallSyntax(_SCRIPT_FUNCTION, ends_statements=False)
_C = CallSyntax(_C_FUNCTION, has_types_first=True)
CALLS = {
    "js": _SCRIPT,
    "ts": _SCRIPT,
    "java": CallSyntax(_JAVA_METHOD, has_types_first=True),
    "c": _C,
    "cpp": _C,
    "rust": CallSyntax(_RUST_FUNCTION, veil=_RUST_LITERAL),
    "go": CallSyntax(_GO_FUNCTION, ends_statements=False),
}


def functions(source: str, language: str) -> list[str]:
    """Return the functions that a source defines, in order."""
    matches = CALLS[language].function.finditer(_veiled(source, language))
    return [next(name for name in match.groups() if name) for match in matches]


def calls(text: str, function: str, language: str, *, types: Sequence[str] = ()) -> list[str]:
    """Return the distinct calls of a function with literal arguments, canonical, in the order of the text."""
    argument_lists = [_by_type(values, types) for values in arguments(text, function, language)]
    texts: dict[str, None] = {}
    for values in argument_lists:
        try:
            texts.setdefault(f"{function}({', '.join(map(spelled, values))})")
        except NotLiteral:
            continue
    return list(texts)


def arguments(text: str, function: str, language: str) -> Iterator[list[Any]]:
    """Iterate over the argument values of each call of a function whose arguments are all literals."""
    veiled, known = _veiled(text, language), _known(text, language)
    for match in re.finditer(rf"(?<![\w$]){re.escape(function)}\s*\(", veiled):
        try:
            yield Reader(text, language, match.end(), known).several(")")
        except NotLiteral:
            continue


def parameter_types(source: str, function: str, language: str) -> list[str]:
    """Return the types of a function's parameters, as far as its declaration can be read."""
    veiled = _veiled(source, language)
    declaration = re.search(rf"(?<![\w$.]){re.escape(function)}\s*(?:<[^>()]*>)?\s*\(([^()]*)\)", veiled)
    parts = _split(declaration[1]) if declaration and CALLS[language].has_types_first else []
    return [part.rsplit(None, 1)[0].replace(" ", "") if " " in part else part for part in map(str.strip, parts)]


def _by_type(values: list[Any], types: Sequence[str]) -> list[Any]:
    """The values, with braces of C++ read as a map if the parameter is one."""
    padded = [*types, *[""] * len(values)]
    return [
        mapping(value) if isinstance(value, list) and _is_map(kind) and _are_pairs(value) else value
        for value, kind in zip(values, padded, strict=False)
    ]


def _is_map(kind: str) -> bool:
    return kind.removeprefix("const").removeprefix("std::").startswith(("map<", "unordered_map<"))


def _are_pairs(value: list[Any]) -> bool:
    return all(isinstance(pair, list) and len(pair) == 2 and not isinstance(pair[0], list) for pair in value)


def _known(text: str, language: str) -> dict[str, Any]:
    """The names that are set once, to a literal, and only passed on."""
    veiled = _veiled(text, language)
    known: dict[str, Any] = {}
    for match in _SET.finditer(veiled):
        name = match["name"]
        if len(re.findall(_TOUCHED.replace("NAME", re.escape(name)), veiled)) > 1:
            continue
        reader = Reader(text, language, match.end(), known)
        try:
            value = reader.value()
        except NotLiteral:
            continue
        is_whole = reader.text[reader.at : reader.at + 1] in (";", "\n", "")
        if is_whole or not CALLS[language].ends_statements:
            known[name] = value
    return known


def _split(text: str) -> list[str]:
    """The parts between commas outside angle brackets."""
    parts, depth = [""], 0
    for sign in text:
        depth += {"<": 1, ">": -1}.get(sign, 0)
        if sign == "," and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return [part for part in parts if part.strip()]


def _veiled(text: str, language: str) -> str:
    """The text with quotes and comments blanked, so that nothing is matched there."""
    return CALLS[language].veil.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
