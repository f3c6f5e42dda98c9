"""Markup that the pages share: the document around them, escaped text, coloured source, marked differences."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterable
from html import escape

from worldline.core.language import all_lines
from worldline.core.program import Program
from worldline.core.text import first_difference, printable
from worldline.ui.session.marks.syntax import SyntaxSpan, spans

TAB = "    "
_QUOTED = re.compile("`([^`]+)`")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def document(title: str, style: str, body: Iterable[str], *, script: str = "") -> str:
    """Return a self-contained page in which no script can run, or only `script`, by its digest."""
    policy = _POLICY + (f"; script-src 'sha256-{_digest(script)}'" if script else "")
    parts = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        f"<title>{safe(title)}</title><style>{style}</style></head><body>",
        '<header class="brand">worldline</header>',
        *body,
        *([f"<script>{script}</script>"] if script else []),
        "</body></html>\n",
    ]
    return "\n".join(parts)


def _digest(script: str) -> str:
    """Return the digest of a script as a content security policy names it."""
    return b64encode(hashlib.sha256(script.encode()).digest()).decode()


def safe(text: str) -> str:
    """Escape any text as one line of markup."""
    return escape(printable(text))


def prose(text: str) -> str:
    """Escape a sentence; what stands between backticks is code."""
    return _QUOTED.sub(r"<code>\1</code>", safe(text))


def short(text: str, max_chars: int) -> str:
    """Shorten a text, and say how long it was."""
    return text if len(text) <= max_chars else f"{text[:max_chars]}… ({len(text):,} characters)"


def command(program: Program) -> str:
    """Return what is executed: the call, or the script with its arguments."""
    return program.call if program.call is not None else " ".join([program.name, *program.argv])


def coloured_lines(source: str, language: str, max_chars: int = 0) -> list[str]:
    """Return the lines of a source as coloured markup, each at most `max_chars` long (0: any length)."""
    lines = all_lines(source, language)
    return [_coloured(line, span, max_chars) for line, span in zip(lines, spans(source, language), strict=True)]


def _coloured(line: str, line_spans: tuple[SyntaxSpan, ...], max_chars: int) -> str:
    end, parts, at = (min(len(line), max_chars) if max_chars else len(line)), list[str](), 0
    for start, stop, kind in line_spans:
        if start >= end:
            break
        parts.append(_code(line[at:start]))
        parts.append(f'<span class="token-{kind}">{_code(line[start : min(stop, end)])}</span>')
        at = min(stop, end)
    parts.append(_code(line[at:end]))
    return "".join(parts) + (f"… ({len(line):,} characters)" if end < len(line) else "")


def _code(text: str) -> str:
    return safe(text.replace("\t", TAB))


def marked(text: str, other: str | None) -> str:
    """Mark the characters between the common start and end of two texts; all of them if `other` is None."""
    start = first_difference(text, other) if other is not None else 0
    ends = zip(reversed(text[start:]), reversed((other or "")[start:]), strict=False)
    same = 0
    for left, right in ends:
        if left != right:
            break
        same += 1
    stop = len(text) - same
    if start >= stop:  # the other text has more characters: mark the place
        return escape(text) if other is None else f"{escape(text[:start])}<mark></mark>{escape(text[start:])}"
    return f"{escape(text[:start])}<mark>{escape(text[start:stop])}</mark>{escape(text[stop:])}"
