"""What `worldline step` asks before an intervention, and what an answer means."""

from __future__ import annotations

from dataclasses import dataclass

from worldline.core.text import printable
from worldline.ui.session.branches.branch import BranchEdit
from worldline.ui.terminal.step.cursor import SessionCursor
from worldline.ui.terminal.step.row_view import NamedValue
from worldline.ui.terminal.step.words import brief


@dataclass(frozen=True)
class StepQuestion:
    """A question and its default answer."""

    question: str
    value: str


def question_of(kind: str, cursor: SessionCursor, chosen: NamedValue | None, line: int) -> StepQuestion | str:
    """Return the question before an `edit`, a forced `line` or another `budget`; or why there is none."""
    limit, step = cursor.here.ask.limit, cursor.step
    if kind == "budget":
        return StepQuestion(f"Maximum bytes of the prediction (now {limit}):", str(2 * limit))
    if step is None:
        return "the model has no step here to continue from"
    if kind == "line":
        return StepQuestion(f"Next line after step {step}:", str(line))
    named = chosen or next(iter(cursor.view.names), None)
    if named is not None and named.level != 0:
        return "only names of the innermost frame can be changed"
    # By default the true value or, if there is none, the predicted one.
    value = "" if named is None else named.left if named.left is not None else named.right or ""
    default = f"{named.name}={value}" if named is not None else ""
    return StepQuestion(f"After step {step}, NAME=VALUE (empty VALUE deletes it):", printable(default))


def intervention_of(kind: str, step: int | None, text: str) -> BranchEdit | str:
    """Return the intervention that an answer asks for; or what is wrong with it."""
    if kind == "edit":
        name, equals, value = text.partition("=")
        if not equals:
            return "expected NAME=VALUE, such as n=7"
        return BranchEdit(kind="edit", step=step, name=name.strip(), value=value.strip() or None)
    count = number(text)
    if count is None:
        return f"{brief(text, 40)!r} is not a number"
    if kind == "line":
        return BranchEdit(kind="line", step=step, line=count)
    return BranchEdit(kind="budget", limit=count)


def number(text: str) -> int | None:
    """Parse a whole number as typed."""
    text = text.strip().replace(",", "").replace("_", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
