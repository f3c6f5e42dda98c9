"""What `worldline step` asks before it intervenes, and what an answer means. Whether it can be done, the scene says."""

from __future__ import annotations

from dataclasses import dataclass

from worldline.core.text import printable
from worldline.ui.session.branches.branch import BranchEdit
from worldline.ui.terminal.step.cursor import SessionCursor
from worldline.ui.terminal.step.row_view import NamedValue
from worldline.ui.terminal.step.words import brief


@dataclass(frozen=True)
class AskedAtStep:
    """A question, and what most would answer."""

    question: str
    value: str


def question_of(what: str, cursor: SessionCursor, chosen: NamedValue | None, line: int) -> AskedAtStep | str:
    """The question before an `edit`, a forced `line` or another `budget`; or why there is none."""
    limit, step = cursor.here.ask.limit, cursor.step
    if what == "budget":
        return AskedAtStep(f"The most bytes that the model may write (now {limit}):", str(2 * limit))
    if step is None:
        return "the model has no step here to go on from"
    if what == "line":
        return AskedAtStep(f"After step {step} the next line to run is:", str(line))
    one = chosen or next(iter(cursor.view.names), None)
    if one is not None and one.level != 0:
        return "only names of the innermost frame can be changed here"
    # The true value is what one wants to see put in place; where there is none, the model's own.
    value = "" if one is None else one.left if one.left is not None else one.right or ""
    known = f"{one.name}={value}" if one is not None else ""
    return AskedAtStep(f"After step {step}, NAME=VALUE (nothing behind = takes it away):", printable(known))


def intervention_of(what: str, step: int | None, text: str) -> BranchEdit | str:
    """What an answer asks for; or what is wrong with it."""
    if what == "edit":
        name, equals, value = text.partition("=")
        if not equals:
            return "not NAME=VALUE, such as n=7"
        return BranchEdit(kind="edit", step=step, name=name.strip(), value=value.strip() or None)
    count = number(text)
    if count is None:
        return f"{brief(text, 40)!r} is no number"
    if what == "line":
        return BranchEdit(kind="line", step=step, line=count)
    return BranchEdit(kind="budget", limit=count)


def number(text: str) -> int | None:
    """A whole number as somebody typed it."""
    text = text.strip().replace(",", "").replace("_", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
