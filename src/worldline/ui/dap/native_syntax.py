"""Expressions as C, C++, Rust, JavaScript, TypeScript and Java spell them, respelled for the one little language.

`list->v != NULL && !done` is `list.v != NULL and not done`. Words such as `null` are names that mean canonical values,
unless the program has such names itself. What has no other spelling (a cast, a call, `? :`) is refused as anywhere.
"""

from __future__ import annotations

import re
from functools import cache

from worldline.core.language import LANGUAGES
from worldline.ui.session.marks.natives import native_names

_STRING = r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\""""
_TOKEN = re.compile(
    rf"(?P<string>{_STRING})|(?P<same>===|!==)|(?P<both>&&)|(?P<either>\|\|)|(?P<field>->)|(?P<not>!(?!=))"
    r"|(?P<target>(?<![\w)\]\s])\s*\*\s*(?P<name>[^\W\d]\w*+)|^\s*\*\s*(?P<first>[^\W\d]\w*+))"
)
_SPELLED = {"both": " and ", "either": " or ", "field": ".", "not": " not "}


def respelled(source: str, language: str) -> str:
    """An expression of a language in the spelling of `expressions`; Python's is that already."""
    return source if LANGUAGES[language].has_syntax_tree else _TOKEN.sub(_one, source)


def _one(match: re.Match[str]) -> str:
    group = next(name for name, found in match.groupdict().items() if found is not None)
    if group == "same":
        return match[0][:-1]
    if group == "target":  # what a pointer points to
        return f" {match['name'] or match['first']}[0]"
    return _SPELLED.get(group, match[0])


@cache
def usual_names(language: str) -> dict[str, str]:
    """The words of a language that are values, as names: `null`, `undefined`, `nullptr`, `true`."""
    found = {}
    for word, name in native_names(language).words.items():
        first = name.partition(",")[0]
        if first.isidentifier():
            found[first] = word
    return found
