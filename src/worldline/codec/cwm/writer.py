"""Writes a trace in Meta's trace format.

    <|begin_of_text|><|trace_context_start|>SOURCE<|frame_sep|>FRAME...<|end_of_text|>

docs/reference/format.md has the rules. parse.py reads the format back; frames.py computes the frames of a trace.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from worldline.analyze.flow.beginning import called_name
from worldline.analyze.flow.control import successors
from worldline.analyze.flow.definitions import definition_line
from worldline.codec.cwm.frame import CwmFrame
from worldline.codec.cwm.frames import complete, frames
from worldline.codec.cwm.text import (
    EVENT_TOKENS,
    UNCHANGED,
    WITH_LOCALS,
    WITH_VALUE,
    SourceListing,
    listing,
    marked,
    quoted,
    shield,
    token,
)
from worldline.core.events import EVENTS
from worldline.core.program import Program
from worldline.core.trace import Trace

CALL = EVENTS.index("call")


def encode(trace: Trace, limit: int | None = None) -> str:
    """Write a trace, or its first `limit` frames; without <|end_of_text|> if it stops before the execution did."""
    shown = frames(trace, limit)
    end = token("end_of_text") if complete(trace) and (limit is None or len(shown) < limit) else ""
    program = trace.program
    return prompt_of(trace) + render(shown, listing(program.source, program.language)) + end


def prompt_of(trace: Trace) -> str:
    """Write the prompt of a recorded trace, which shows the function that its call entered."""
    return prompt(trace.program.source, entry_line(trace), trace.program.language)


def prompt(source: str, entry: int, language: str = "python") -> str:
    """Write a prompt: the source, marked on the line of the entry (0: the whole script)."""
    return (
        token("begin_of_text")
        + token("trace_context_start")
        + shield(marked(source, entry, language))
        + token("frame_sep")
    )


def render(shown: Iterable[CwmFrame], lines: SourceListing) -> str:
    """Write frames as text."""
    return "".join(_rendered(shown, lines))


def _rendered(shown: Iterable[CwmFrame], lines: SourceListing) -> Iterator[str]:
    shown_names: dict[int, dict[str, str]] = {}
    for frame in shown:
        yield token(EVENT_TOKENS[frame.event])
        if frame.event in WITH_LOCALS:
            known = shown_names.get(frame.scope, {}) if frame.event == "line" else {}
            yield _object(frame.locals, known)
            shown_names[frame.scope] = frame.locals
        yield token("action_sep") + shield(lines.text(frame.line or 0)) + "\n"
        if frame.event in WITH_VALUE:
            yield token("arg_sep") + quoted(frame.arg or "None")
        yield token("frame_sep")


def _object(names: dict[str, str], known: dict[str, str]) -> str:
    pairs = (
        f"{quoted(name)}: {quoted(UNCHANGED if known.get(name) == value else value)}" for name, value in names.items()
    )
    return "{" + ", ".join(pairs) + "}"


def entry_line(trace: Trace) -> int:
    """Return the line that carries the marker: the `def` of the called function, 0 for a script."""
    columns, activations = trace.columns, trace.frames
    calls = (i for i, event in enumerate(columns.event) if event == CALL)
    roots = [trace[i] for i in calls if activations[columns.frame[i]].parent < 0]
    if trace.program.call is None or not roots:
        return 0
    if not trace.program.lang.has_syntax_tree:
        return _defined_line(trace.program) or roots[0].line
    called = _called(trace.program.call)
    root = next((step for step in roots if activations[step.frame].name == called), roots[0])
    name = activations[root.frame].name
    flows = successors(trace.program.source)
    return next((f.defined for f in flows if f.name == name and f.line == root.line), root.line)


def _defined_line(program: Program) -> int | None:
    """The line that defines the called function, from the words of another language."""
    return definition_line(program.source, program.language, called_name(program.call or ""))


def _called(expression: str) -> str | None:
    """The name of the function that a call expression calls last."""
    try:
        node = ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    function = node.func if isinstance(node, ast.Call) else None
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else None
