"""A failing test as one self-contained page: why it failed, the history of its values, its last steps."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from worldline.core.language import language_of
from worldline.core.trace import Trace
from worldline.diagnose.failure.explanation import AssertedValue, FailureExplanation
from worldline.diagnose.failure.sentences import (
    head_sentences,
    link_in_words,
    place_in_words,
    tail_sentences,
    value_in_words,
)
from worldline.ui.report.debug_page import MAX_VALUE_CHARS, STYLE, place_markup
from worldline.ui.report.markup import coloured_lines, document, safe
from worldline.ui.session.last_steps import last_steps
from worldline.ui.session.side_by_side import with_places

MAX_ROWS = 2_000
_LINK_HEADS = "<tr><th>step<th>where<th>source<th>value</tr>"
_STEP_HEADS = "<tr><th>step<th>where<th>source<th>recorded</tr>"


def failure_page(explanation: FailureExplanation, trace: Trace | None) -> str:
    """Return the page of a failing test; `trace` is its trace, if it has one."""
    lines = _lines(trace)
    body = [f"<h1>{safe(explanation.test_id)} <small>{safe(explanation.outcome)}</small></h1>"]
    body.append(f"<dl>{_facts([*head_sentences(explanation), *tail_sentences(explanation)])}</dl>")
    for value in explanation.values:
        body += _history(value, lines)
    if trace is not None and explanation.steps:
        body += _steps(explanation, trace, lines)
    if explanation.message:
        body.append(f"<details><summary>pytest's message</summary><pre>{escape(explanation.message)}</pre></details>")
    return document(explanation.test_id, STYLE, body)


def _facts(sentences: list[tuple[str, str, str]]) -> str:
    return "".join(f"<dt>{safe(label)}</dt><dd>{escape(text)}</dd>" for label, text, _ in sentences)


def _lines(trace: Trace | None) -> dict[str, list[str]]:
    """The coloured lines of every file by its name."""
    if trace is None:
        return {}
    files = {**dict(trace.program.files), trace.program.name: trace.program.source}
    return {name: coloured_lines(text, language_of(name)) for name, text in files.items()}


def _code(lines: dict[str, list[str]], file: str, line: int | None) -> str:
    known = lines.get(file, [])
    return known[line - 1].lstrip() if line is not None and 0 < line <= len(known) else ""


def _history(value: AssertedValue, lines: dict[str, list[str]]) -> Iterator[str]:
    """One value and the steps that it comes from, newest first; the one that produced it is marked."""
    yield f"<h2>{escape(value_in_words(value))}</h2>"
    if value.links:
        yield f"<table><thead>{_LINK_HEADS}</thead><tbody>"
        for link in value.links:
            mark = ' class="first"' if link is value.writer else ""
            yield (
                f'<tr{mark}><td class="n">{link.place.step}</td>'
                f'<td class="where">{escape(place_in_words(link.place))}</td>'
                f'<td class="source">{_code(lines, link.place.file, link.place.line)}</td>'
                f'<td class="long">{escape(link_in_words(link))}</td></tr>'
            )
        yield "</tbody></table>"
    for note in value.notes:
        yield f'<p class="soft">{safe(note)}</p>'


def _steps(explanation: FailureExplanation, trace: Trace, lines: dict[str, list[str]]) -> Iterator[str]:
    yield f"<h2>Last steps</h2><table><thead>{_STEP_HEADS}</thead><tbody>"
    for row in last_steps(trace, explanation.steps, MAX_ROWS, MAX_VALUE_CHARS):
        if row.kind == "gap":
            yield f'<tr class="gap"><td colspan="4">{row.skipped:,} earlier steps are not shown</td></tr>'
            continue
        file, depth = row.file or trace.program.name, "│ " * min(row.depth, 8)
        pieces = " ".join(
            f'{place_markup(place)}<span class="piece {piece.kind}">{escape(piece.text)}</span>'
            for place, piece in with_places(row.wanted or ())
        )
        yield (
            f'<tr class="{row.kind}"><td class="n">{row.step}</td><td class="where">{safe(f"{file}:{row.line}")}</td>'
            f'<td class="source"><span class="soft">{depth}</span>{_code(lines, file, row.line)}</td>'
            f'<td class="long">{pieces}</td></tr>'
        )
    yield "</tbody></table>"
