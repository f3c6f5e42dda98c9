"""Reads what the tests of a problem expect: for each call of its function, in the order of the text, the value.

`assert (f(1) == 2)`, `console.assert(JSON.stringify(f(1)) === JSON.stringify([2]))`, `s.f(1).equals(2)`,
`assert_eq!(f(1), 2)`, `assert.Equal(2, f(1))`. Nothing is evaluated: a call whose expected value is no literal has
the reason in its place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from worldline.codec.literals import NotLiteral, Reader
from worldline.evaluation.suites.languages.calls import CALLS

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_CALLEE = re.compile(r"([\w$][\w$.:]*!?)\s*$")
_RECEIVER = re.compile(r"[\w$]+\s*\.\s*$")
_ASSERTS = ("assert", "assert!", "console.assert", "Arrays.asList", "List.of", "assert.True")
_EQUALS = ("issame", "Objects.equals", "Arrays.equals", "assert_eq!", "assert.Equal", "Objects.deepEquals")
_ABSOLUTE = ("abs", "fabs", "Math.abs", "math.Abs", "std::abs", "f64::abs")
_CAST = re.compile(r"\(\s*(?:int|long|double|boolean|String|Integer|Double)\s*\)\s*$")
_WRAPPERS = ("JSON.stringify",)
_NUMBER = re.compile(r"\s*[<>]=?\s*(\d[\d.]*(?:[eE]-?\d+)?)")
_LOOP = re.compile(r"\bfor\b|\bwhile\b|\bforEach\b|\.map\s*\(|\bloop\b")
_IN_A_LOOP = "the call is in or after a loop of the test"
_NO_LITERAL = "the expected value is no literal"


@dataclass(frozen=True)
class Expected:
    """What a test expects of one call.

    `tolerance` is how far a float may be off, 0 if not at all. `is_loose` is `==` of JavaScript: `'6.00'` is 6.
    `call` is the text of the call.
    """

    value: Any
    tolerance: float = 0.0
    is_loose: bool = False
    call: str = field(default="", compare=False)


@dataclass(frozen=True)
class _Span:
    """An expression of the text that holds the call, and what was done to its value."""

    start: int
    end: int
    is_negated: bool = False


def expected_values(test: str, function: str, language: str) -> list[Expected | str]:
    """Return what each call of a function in a test's text is expected to return, or why that is not known."""
    return _Assertions(test, language).expected(function)


def _veiled(text: str, language: str) -> str:
    return CALLS[language].veil.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


class _Assertions:
    """The text of a test, read around a call."""

    def __init__(self, test: str, language: str) -> None:
        self._text, self._language = test, language
        self._veiled = _veiled(test, language)
        found = re.search(r"abs\w*\([^;]*?\)\s*>=?\s*(\d[\d.]*(?:[eE]-?\d+)?)", test)
        first = self._veiled.find("int main") if "int main" in self._veiled else 0  # its helpers have loops
        loop = _LOOP.search(self._veiled, max(0, first))
        self._loop = loop.start() if loop else len(test)
        self._helper_tolerance = float(found[1]) if found else 0.0

    def expected(self, function: str) -> list[Expected | str]:
        """Each call's value or reason."""
        found: list[Expected | str] = []
        for match in re.finditer(rf"(?<![\w$]){re.escape(function)}\s*\(", self._veiled):
            if re.search(r"\bfn\s+$|\bfunction\s+$", self._veiled[: match.start()]):
                continue
            if match.start() > self._loop:
                found.append(_IN_A_LOOP)
                continue
            try:
                end = self._closed(match.end() - 1)
                found.append(replace(self._of(_Span(match.start(), end)), call=self._text[match.start() : end]))
            except (NotLiteral, ValueError):
                found.append(_NO_LITERAL)
        return found

    def _of(self, span: _Span) -> Expected:
        """The value that the smallest assertion around an expression expects of it."""
        before = self._veiled[: span.start].rstrip()
        if receiver := _RECEIVER.search(self._veiled[: span.start]):
            return self._of(_Span(receiver.start(), span.end, span.is_negated))
        if before.endswith("!") and not _CALLEE.search(before):
            return self._of(_Span(len(before) - 1, span.end, not span.is_negated))
        if cast := _CAST.search(self._veiled[: span.start]):
            return self._of(_Span(cast.start(), span.end, span.is_negated))
        if compared := self._compared(span):
            return compared
        if before.endswith("=="):
            return self._compared_before(span)
        if before.endswith("("):
            return self._first_argument(span, len(before) - 1)
        if before.endswith(","):
            return self._later_argument(span, len(before) - 1)
        raise NotLiteral("no assertion")

    def _compared(self, span: _Span) -> Expected | None:
        """The value of `E == value` or `E.equals(value)`."""
        reader = self._reader(span.end)
        if reader.has(".isEmpty()"):  # of an Optional: another empty value differs
            return self._ended(reader, None)
        reader.has(".get()")
        is_strict = reader.has("===")
        if is_strict or reader.has("=="):
            expected = self._ended(reader, self._literal(reader))
            return replace(expected, is_loose=self._language in ("js", "ts") and not is_strict)
        if reader.has(".equals("):
            value = self._literal(reader)
            reader.need(")")
            return self._ended(reader, value)
        return None

    def _compared_before(self, span: _Span) -> Expected:
        """The value of `value == E`."""
        reader = self._reader(self._opened(span.start) + 1)
        value = self._literal(reader)
        if not (reader.has("===") or reader.has("==")):
            raise NotLiteral("more than a comparison")
        reader.blank()
        if reader.at != span.start:
            raise NotLiteral("more than a comparison")
        return self._ended(self._reader(span.end), value)

    def _ended(self, reader: Reader, value: Any) -> Expected:
        """The value, if its assertion ends after it."""
        reader.blank()
        if not reader.text.startswith((")", ",", ";", "&&", "}"), reader.at):
            raise NotLiteral("more than a comparison")
        return Expected(value)

    def _first_argument(self, span: _Span, bracket: int) -> Expected:
        callee = _CALLEE.search(self._veiled[:bracket])
        name = callee[1] if callee else ""
        reader = self._reader(span.end)
        reader.has(".get()")
        if callee and name == "not":
            return self._of(_Span(callee.start(), self._closed(bracket), not span.is_negated))
        if name in _WRAPPERS or not name:
            return self._of(_Span(callee.start() if callee else bracket, self._closed(bracket), span.is_negated))
        if name in _EQUALS:
            reader.need(",")
            return Expected(self._literal(reader), self._helper_tolerance)
        if name in _ABSOLUTE:
            return self._near(reader)
        if name in _ASSERTS and (reader.has(")") or reader.has(",")):
            return Expected(not span.is_negated)
        raise NotLiteral(f"an argument of {name}")

    def _near(self, reader: Reader) -> Expected:
        """The value of `abs(E - value) < tolerance`."""
        sign = -1 if reader.has("+") else 1
        if sign == 1:
            reader.need("-")
        value = sign * self._literal(reader)
        reader.need(")")
        if (tolerance := _NUMBER.match(reader.text, reader.at)) is None:
            raise NotLiteral("no tolerance")
        return Expected(value, float(tolerance[1]))

    def _later_argument(self, span: _Span, comma: int) -> Expected:
        bracket = self._opened(comma)
        callee = _CALLEE.search(self._veiled[:bracket])
        name = callee[1] if callee else ""
        reader = self._reader(span.end)
        if name in _ASSERTS and (reader.has(")") or reader.has(",")):
            return Expected(not span.is_negated)
        if name in _EQUALS:
            first = self._reader(bracket + 1)
            value = self._literal(first)
            first.blank()
            if first.at == comma:
                return Expected(value, self._helper_tolerance)
        raise NotLiteral(f"an argument of {name}")

    def _literal(self, reader: Reader) -> Any:
        """The literal that is next."""
        if reader.has("JSON.stringify("):
            value = reader.value()
            reader.need(")")
            return value
        return reader.value()

    def _reader(self, at: int) -> Reader:
        return Reader(self._text, self._language, at)

    def _closed(self, at: int) -> int:
        """The position after the bracket that closes the one here."""
        depth = 0
        for position in range(at, len(self._veiled)):
            depth += (self._veiled[position] in _CLOSING) - (self._veiled[position] in _CLOSING.values())
            if not depth:
                return position + 1
        raise NotLiteral("a bracket is open")

    def _opened(self, at: int) -> int:
        """The position of the bracket that is open here."""
        depth = 0
        for position in range(at - 1, -1, -1):
            depth += (self._veiled[position] in _CLOSING.values()) - (self._veiled[position] in _CLOSING)
            if depth < 0:
                return position
        raise NotLiteral("no bracket is open")
