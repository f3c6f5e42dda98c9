"""Whether a text may be the beginning of a true value's repr, as far as that can be told.

Literal by literal, so that quotes, blanks and escapes may be spelled in other ways. What a repr says of an object, a
function or a set's order cannot be foretold: from there on nothing is compared.
"""

from __future__ import annotations

import re
from itertools import zip_longest

from worldline.core.value import equal, unquote

_PART = re.compile(
    r"""\s*+(?:(?P<text>(?P<prefix>[bB]?)(?P<quote>['"])(?P<body>(?:(?!(?P=quote))[^\\]|\\.)*+)(?P<closed>(?P=quote))?+"""
    r"""(?:\\\Z)?+)|(?P<word>[\w.+-]+)|(?P<mark>\S))""",
    re.DOTALL,
)
_HALF = re.compile(r"\\(?:x[0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7})\Z")
UNTOLD = "\0"


def may_begin(written: str, true: str) -> bool:
    """Whether `written` is a beginning of `true`, a repr with NUL from where on nothing is known."""
    known, mark, _ = true.partition(UNTOLD)
    got = list(_PART.finditer(written))
    for i, (one, other) in enumerate(zip_longest(_PART.finditer(known), got)):
        if other is None or one is None:
            return other is None or bool(mark)
        if not _fits(one, other, i == len(got) - 1):
            return False
    return True


def _fits(one: re.Match[str], other: re.Match[str], is_last: bool) -> bool:
    true, said = one[0].strip(), other[0].strip()
    if one["text"] is None or other["text"] is None:
        return true == said or (is_last and true.startswith(said)) or equal(true, said)
    if one["prefix"] != other["prefix"].lower():
        return False
    if is_last and other["closed"] is None:
        body = _HALF.sub("", other["body"])
        return _said(one["quote"], one["body"]).startswith(_said(other["quote"], body))
    return _said(one["quote"], one["body"]) == _said(other["quote"], other["body"])


def _said(quote: str, body: str) -> str:
    """What a literal stands for; of one with an escape that is none, its letters."""
    try:
        return unquote(quote + body + quote)
    except ValueError:
        return body
