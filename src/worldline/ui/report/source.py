"""Source lines as markup, coloured by their grammar (`explore.marks.syntax`), escaped; and what differs in a value."""

from __future__ import annotations

from html import escape

from worldline.core.language import all_lines
from worldline.core.text import first_difference, printable
from worldline.ui.session.marks.syntax import SyntaxSpan, spans

TAB = "    "


def coloured_lines(source: str, language: str, most: int = 0) -> list[str]:
    """Every line of a source; of a longer one than `most` characters, where that is said, its beginning."""
    lines = all_lines(source, language)
    return [_coloured(line, some, most) for line, some in zip(lines, spans(source, language), strict=True)]


def _coloured(line: str, some: tuple[SyntaxSpan, ...], most: int) -> str:
    end, found, at = (min(len(line), most) if most else len(line)), list[str](), 0
    for start, stop, kind in some:
        if start >= end:
            break
        found.append(_safe(line[at:start]))
        found.append(f'<span class="token-{kind}">{_safe(line[start : min(stop, end)])}</span>')
        at = min(stop, end)
    found.append(_safe(line[at:end]))
    return "".join(found) + (f"… ({len(line):,} characters)" if end < len(line) else "")


def _safe(text: str) -> str:
    return escape(printable(text.replace("\t", TAB)))


def marked(text: str, other: str | None) -> str:
    """A text with the characters marked that are not in another one, between their common ends; without one, all."""
    start = first_difference(text, other) if other is not None else 0
    ends = zip(reversed(text[start:]), reversed((other or "")[start:]), strict=False)
    same = 0
    for one, two in ends:
        if one != two:
            break
        same += 1
    stop = len(text) - same
    if start >= stop:  # the other one has more: the place where it does
        return escape(text) if other is None else f"{escape(text[:start])}<mark></mark>{escape(text[start:])}"
    return f"{escape(text[:start])}<mark>{escape(text[start:stop])}</mark>{escape(text[stop:])}"
