"""Rewrite conditions of CrossHair's solver in terms of the program: `Not(xs_2_len_4 <= 1)` becomes `len(xs) > 1`.

CrossHair numbers the parts of an input; the numbers are dropped here. Unrecognised text stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_PART = r"""
        \b(NAMES[^\W\d]\w*?)_\d+             # an input, numbered
        ((?:_at_\d+)*)                       # an element of a tuple
        (?:_map_\d+|(?:_\d+)+)?              # a list's elements, a union's member
        (?:(?:items)?_?(len)(?:_\d+)?|@(\d+))?  # how long it is, or one character of it
        (?!\w)"""
_CODE = re.compile(r"(?<![\w.])(\d+) == ord\(([^()]*)\)")
_NEGATED = re.compile(r"Not\(([^(),]*(?:\([^(),]*\)[^(),]*)*) (<=|>=|==) ([^(),]*(?:\([^(),]*\)[^(),]*)*)\)")
_BACKWARDS = re.compile(r"^(-?\d+(?:/\d+)?) (==|<=|>=|!=|<|>) (.*)$")
_OTHER_WAY = {"<=": ">", ">=": "<", "==": "!="}
_TURNED = {"==": "==", "!=": "!=", "<=": ">=", ">=": "<=", "<": ">", ">": "<"}
_HIGHEST = 0x10FFFF


def worded(text: str, names: Iterable[str] = ()) -> str:
    """Rewrite one condition of the solver about inputs of these names; empty if it is trivial."""
    if text == "True":
        return ""
    text = _CODE.sub(_character, _part("".join(f"{re.escape(name)}|" for name in names)).sub(_named, text))
    text = _NEGATED.sub(lambda match: f"{match[1]} {_OTHER_WAY[match[2]]} {match[3]}", text)
    if (turned := _BACKWARDS.match(text)) and not re.search("And|Or|Not", text):
        text = f"{turned[3]} {_TURNED[turned[2]]} {turned[1]}"
    return text


@lru_cache(maxsize=64)
def _part(names: str) -> re.Pattern[str]:
    """What a numbered part of an input looks like; inputs whose own names end in numbers are known by name."""
    return re.compile(_PART.replace("NAMES", names), re.VERBOSE)


def _named(match: re.Match[str]) -> str:
    name = match[1] + "".join(f"[{number}]" for number in re.findall(r"\d+", match[2] or ""))
    if match[3]:
        return f"len({name})"
    return f"ord({name}[{match[4]}])" if match[4] else name


def _character(match: re.Match[str]) -> str:
    code = int(match[1])
    return f"{match[2]} == {chr(code)!r}" if code <= _HIGHEST else match[0]
