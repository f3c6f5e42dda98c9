"""The chain of operations behind a value, as a list of links to go to."""

from __future__ import annotations

from rich.text import Text

from worldline.core.errors import UsageError
from worldline.diagnose.why.chain import WhyChain, WhyLink, is_different
from worldline.diagnose.why.sentences import both_in_words, link_in_words, operand_in_words, step_in_words
from worldline.ui.session.why import why_row
from worldline.ui.terminal.step.cursor import SessionCursor
from worldline.ui.terminal.step.row_view import NamedValue
from worldline.ui.terminal.step.screens import ChoiceScreen
from worldline.ui.terminal.step.words import brief


def chain_screen(cursor: SessionCursor, value: NamedValue | None, *, is_chosen: bool) -> ChoiceScreen | str:
    """Return the chain behind a value of the current row, as a choice of rows; or why there is none.

    Unless a value is chosen, what the step itself returns, raises or prints comes first, if that is wrong.
    """
    try:
        if not is_chosen and _hands_on_wrong(cursor):
            chain = why_row(cursor.run_diff, cursor.row, None, cause=cursor.here.cause)
        elif value is None:
            return "no value is chosen, and none differs"
        else:
            chain = _chain(cursor, value)
    except UsageError as error:
        return str(error)
    title = f"Why {brief(chain.name, 80)}: {both_in_words(chain.wanted, chain.got)}"
    return ChoiceScreen(title, chain_options(cursor, chain))


def _hands_on_wrong(cursor: SessionCursor) -> bool:
    if not cursor.row < len(cursor.run_diff.rows):
        return False
    row, left, right = cursor.run_diff.rows[cursor.row], cursor.run_diff.left, cursor.run_diff.right
    if left is None or row.left is None or row.right is None:
        return False
    return is_different(left.events[row.left].arg, right.events[row.right].arg)


def _chain(cursor: SessionCursor, value: NamedValue) -> WhyChain:
    level = cursor.view.levels[value.level]
    frames = (level.left.frame if level.left else None), (level.right.frame if level.right else None)
    return why_row(cursor.run_diff, cursor.row, value.name, frames=frames, cause=cursor.here.cause)


def chain_options(cursor: SessionCursor, chain: WhyChain) -> list[tuple[str, Text]]:
    """Return a choice per link, with its row: the operation, its operands and its note."""
    options = []
    for link in chain.links:
        text = Text().append(f"{step_in_words(link):<12}", style="cyan")
        text.append(link_in_words(link), style="bold red" if link.is_origin else "")
        details = ["from " + "; ".join(map(operand_in_words, link.operands))] if link.operands else []
        details += [brief(link.note)] if link.note else []
        for detail in details:
            text.append(f"\n{'':<12}{detail}", style="dim")
        options.append((str(_row(cursor, link)), text))
    options += [(str(cursor.row), Text(brief(note), style="yellow")) for note in chain.notes]
    return options


def _row(cursor: SessionCursor, link: WhyLink) -> int:
    side, step = ("right", link.found) if link.found is not None else ("left", link.truth)
    return cursor.run_diff.row_of(side, step or 0)
