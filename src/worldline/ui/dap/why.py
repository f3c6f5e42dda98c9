"""`why NAME` in the console, watches and hovers: the chain of operations behind a value, as text and as a tree.

The protocol has no request for it. Only a name, or a part of one, is understood: nothing is evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.texts.excerpts import excerpt
from worldline.diagnose.why.chain import ChainOperand, WhyChain, WhyLink
from worldline.diagnose.why.sentences import (
    ORIGIN,
    both_in_words,
    chain_sentences,
    link_in_words,
    operation_in_words,
    place_in_words,
    step_in_words,
)
from worldline.ui.dap.session import DapSession
from worldline.ui.dap.variables import MAX_VALUE_CHARS, NO_VALUE, EditorVariable, page_of
from worldline.ui.session.clip import cut
from worldline.ui.session.run_diff import RunDiff
from worldline.ui.session.stepping import StoppedFrame
from worldline.ui.session.why import why_row

_QUESTION = re.compile(r":?why(?:\s+(?P<name>\S.*?))?\s*\Z", re.DOTALL)


def question_of(text: str, names: Sequence[str] = ()) -> str | None:
    """Return the name that `why NAME` asks about, empty for `why` alone; None if a text is another expression."""
    match = _QUESTION.match(text.strip())
    if match is None or (match["name"] is None and "why" in names):
        return None
    return match["name"] or ""


def chain_at(session: DapSession, frame: StoppedFrame | None, name: str) -> WhyChain:
    """Find the chain behind a name of a frame at this stop; without a name, behind what this step hands on.

    Raises:
        UsageError: There is no such value here.
    """
    at, stepper = session.position, session.stepper
    if not len(stepper):
        raise UsageError("nothing is predicted yet")
    run_diff = session.snapshot.run_diff or RunDiff(None, stepper.run)
    is_end = at >= len(stepper)
    row = run_diff.row_of("right", len(stepper) - 1 if is_end else at)
    if not name or frame is None:
        row = row if session.done is None else run_diff.row_of("right", session.done)
        return why_row(run_diff, row, name or None, cause=session.current.cause)
    # A frame that starts with this step already shows its arguments.
    starts = not is_end and stepper.events[at].event == "call" and stepper.events[at].frame == frame.frame
    before = not is_end and not starts and session.done is None
    return why_row(run_diff, row, name, frames=(None, frame.frame), before=before, cause=session.current.cause)


def answer(session: DapSession, frame: StoppedFrame | None, name: str, context: str | None) -> dict[str, Any]:
    """Answer `why NAME`: all sentences in the console, one line in a watch; the chain unfolds in both."""
    chain = chain_at(session, frame, name or _first_wrong(session, frame))
    row = chain_variable(chain)
    text = row.value if context == "watch" else "\n".join(_lines(chain))
    return {"result": text, "type": row.kind, **session.references.opened(row)}


def _first_wrong(session: DapSession, frame: StoppedFrame | None) -> str:
    """What `why` alone is about: what this step hands on, or else the first name that is wrong."""
    moment = session.stepper.at(session.position if session.done is None else session.done)
    if frame is None or (moment is not None and moment.arg is not None):
        return ""
    for name in frame.values:
        if chain_at(session, frame, name).is_wrong:
            return name
    raise UsageError("nothing is wrong in this frame: ask `why NAME`")


def _lines(chain: WhyChain) -> list[str]:
    return [f"{label:<10} {text}".rstrip() for label, text, _ in chain_sentences(chain)]


def chain_variable(chain: WhyChain, name: str = "why") -> EditorVariable:
    """Return a chain as a row: the value and its origin; under it a row per link."""
    origins = "; ".join(f"{step_in_words(link)}, {link_in_words(link)}" for link in chain.origins)
    value = f"{both_in_words(chain.wanted, chain.got)}{f': {origins}' if origins else ''}"
    rows = [_link_variable(link) for link in chain.links]
    rows += [EditorVariable("note", cut(note, MAX_VALUE_CHARS)) for note in chain.notes]
    return EditorVariable(name, value, "why", named=len(rows), page=page_of(rows) if rows else None)


def lazy_chain(session: DapSession, frame: StoppedFrame, name: str) -> EditorVariable:
    """Return the row of a chain that is found when it is opened."""

    def page(start: int, stop: int) -> Sequence[EditorVariable]:
        try:
            row = chain_variable(chain_at(session, frame, name))
        except UsageError as error:
            return [EditorVariable("(none)", str(error))][start:stop]
        return row.page(start, stop) if row.page is not None else ()

    return EditorVariable("why", "the operations that led to it", "why", page=page)


def _link_variable(link: WhyLink) -> EditorVariable:
    rows = [_operand_variable(link.name, link)] if link.wanted is not None or link.got is not None else []
    rows += [_operand_variable(operand.text, operand) for operand in link.operands]
    rows += [EditorVariable("origin", ORIGIN.partition(": ")[2])] if link.is_origin else []
    rows += [EditorVariable("note", cut(link.note, MAX_VALUE_CHARS))] if link.note else []
    name = f"{step_in_words(link)}, {place_in_words(link)}"
    return EditorVariable(name, operation_in_words(link), link.kind, named=len(rows), page=page_of(rows))


def _operand_variable(name: str, operand: ChainOperand | WhyLink) -> EditorVariable:
    both = [
        EditorVariable(label, NO_VALUE if value is None else excerpt(value, MAX_VALUE_CHARS))
        for label, value in (("actual", operand.wanted), ("predicted", operand.got))
    ]
    return EditorVariable(cut(name, 80), both_in_words(operand.wanted, operand.got), "", named=2, page=page_of(both))


def hovered(
    session: DapSession, frame: StoppedFrame, name: str, value: EditorVariable, actual: EditorVariable | None
) -> EditorVariable | None:
    """Return what a hover over a wrong name shows: both values and the chain; None if the name is right."""
    try:
        chain = chain_at(session, frame, name)
    except UsageError:
        return None
    if not chain.is_wrong:
        return None
    rows = [value, actual or EditorVariable("actual", NO_VALUE), chain_variable(chain)]
    origins = ", ".join(f"{step_in_words(link)} (line {link.line})" for link in chain.origins)
    text = f"{value.shown or excerpt(value.value, MAX_VALUE_CHARS)}, actual {excerpt(rows[1].value, MAX_VALUE_CHARS)}"
    return EditorVariable(
        "", text + (f"; wrong since {origins}" if origins else ""), value.kind, named=3, page=page_of(rows)
    )
