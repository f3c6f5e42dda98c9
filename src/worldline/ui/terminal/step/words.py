"""The texts of `worldline step`: heading, position, branches, the explanation of a branch, and the help.

All text of a program or a model goes through `printable`. `draw` decides colours and positions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.text import Text

from worldline.core.text import printable
from worldline.diagnose.failure import FailureExplanation
from worldline.diagnose.failure.sentences import failure_sentences, link_in_words
from worldline.diagnose.sentences import percent
from worldline.ui.session.branches.branch import Branch, BranchEdit
from worldline.ui.session.rollout import RolloutProgress
from worldline.ui.session.sentences import cause_in_words, differences_in_words
from worldline.ui.session.session import Session
from worldline.ui.session.stepping import OPEN, first_divergence
from worldline.ui.terminal.step.cursor import SessionCursor
from worldline.ui.terminal.step.keys import KEYS
from worldline.ui.terminal.step.row_view import NamedValue

SIGNS = {"right": "·", "wrong": "X", "consequential": "~", OPEN: "-"}
STYLES = {"right": "green", "wrong": "bold red", "consequential": "yellow", OPEN: "dim"}
MAX_TEXT = 400  # characters of a text in a sentence


def brief(text: str, length: int = MAX_TEXT) -> str:
    """Return a text as one printable line, cut if it is long."""
    return printable(text[:length]) + ("…" if len(text) > length else "")


def named(edit: BranchEdit | None) -> str:
    """Describe an intervention."""
    if edit is None:
        return "the original"
    at = f" at step {edit.step}"
    if edit.kind == "edit":
        name, value = brief(edit.name or "", 40), edit.value
        return f"{name} deleted{at}" if value is None else f"{name} = {brief(value, 40)}{at}"
    if edit.kind == "line":
        return f"line {edit.line} forced{at}"
    return f"budget {edit.limit:,} bytes" if edit.kind == "budget" else f"rewritten: {edit.how}"


def heading(cursor: SessionCursor, progress: RolloutProgress | None) -> Text:
    """Return the program, the model, the branch, and its status."""
    program = cursor.here.ask.program
    call = program.call if program.call is not None else " ".join([program.name, *program.argv])
    text = Text.assemble((brief(call, 80), "bold"), ("  " + brief(cursor.session.model, 40), "dim"))
    if len(cursor.session.branches) > 1:
        text.append(f"  branch {cursor.branch}: {named(cursor.here.edit)}", style="cyan")
    return text.append("  ").append_text(_status(cursor.session, cursor.here, progress))


def _status(session: Session, branch: Branch, progress: RolloutProgress | None) -> Text:
    """The status of a branch: how much is written, or its verdict."""
    if branch.status == "running":
        if progress is None or progress.branch != branch.id or progress.stage == "truth":
            return Text("recording …", style="yellow")
        return Text(f"predicting … {progress.bytes:,} bytes, {progress.steps:,} steps", style="yellow")
    if branch.status == "failed":
        return Text(f"failed: {brief(branch.note)}", style="bold red")
    if branch.status == "stopped":
        return Text(f"stopped at {len(branch.found.text):,} bytes", style="yellow")
    return Text(*_verdict(session, branch))


def _verdict(session: Session, branch: Branch) -> tuple[str, str]:
    if session.failure is not None:
        return f"{session.failure.outcome}: {brief(session.failure.exception)}", "bold red"
    if branch.truth is None:
        return ("recorded", "") if session.is_recorded else ("no execution to compare with", "yellow")
    cause, first = branch.cause, first_divergence(session.run_diff(branch.id), branch)
    if first is not None:
        return f"diverges at step {first}{f': {cause.name}' if cause else ''}", "bold red"
    if branch.found.status == "budget":
        return "cut by its budget (m extends it)", "yellow"
    return "right", "green"


def place(cursor: SessionCursor) -> Text:
    """Describe the current row: its verdicts, what differs, and the model's confidence."""
    if not cursor.count:
        return Text(brief(cursor.here.why or "nothing to show yet"), style="dim")
    row = cursor.row_json(cursor.row)
    text = Text().append(f"step {cursor.row:,} of {cursor.count - 1:,}  ", style="bold")
    if cursor.session.is_recorded:
        return text.append_text(_written_here(cursor))
    if cursor.run_diff.left is None:
        text.append(brief(f"no actual execution: {cursor.here.why}") + "  ", style="yellow")
    else:
        text.append_text(_judged(row))
    differs, right = cursor.run_diff.rows[cursor.row].differs, row["right"]
    if differs and cursor.row < cursor.written:
        text.append(brief(differences_in_words(differs)) + "  ", style="red")
    if right is None:
        text.append("not written yet" if cursor.is_running else "the model has no step here")
    elif right["sure"] is not None:
        text.append(f"confidence {percent(right['sure_action'])} / {percent(right['sure_state'])}", style="dim")
    return text


def _written_here(cursor: SessionCursor) -> Text:
    """What the history of a failing test says about the current step."""
    failure = cursor.session.failure
    links = [link for value in failure.values for link in value.links] if failure is not None else []
    here = next((link for link in links if link.place.step == cursor.row), None)
    if failure is not None and failure.raised is not None and failure.raised.step == cursor.row:
        return Text(brief(f"raised: {failure.exception}"), style="red")
    return Text() if here is None else Text(brief(link_in_words(here)), style="yellow")


def _judged(row: Mapping[str, Any]) -> Text:
    """The verdicts on a row's action and state that are not right."""
    text = Text()
    for half in ("action", "state"):
        if row[half] not in ("right", OPEN):
            text.append(f"{SIGNS[row[half]]} {half} {row[half]}  ", style=STYLES[row[half]])
    if text or row["action"] == OPEN:
        return text
    return Text().append(f"{SIGNS['right']} right  ", style=STYLES["right"])


def tree(session: Session, chosen: int) -> list[tuple[int, Text]]:
    """Return the branches, each under its parent."""
    rows = []
    for branch, depth in _ordered(session.branches, None, 0):
        text = Text("▶ " if branch.id == chosen else "  ")
        text.append("  " * (depth - 1) + "└ " if depth else "", style="dim")
        text.append(f"{branch.id} {named(branch.edit)}  ").append_text(_status(session, branch, None))
        rows.append((branch.id, text))
    return rows


def _ordered(branches: Sequence[Branch], parent: int | None, depth: int) -> Iterator[tuple[Branch, int]]:
    pending = [(child, depth) for child in reversed(branches) if child.parent == parent]
    while pending:
        branch, deep = pending.pop()
        yield branch, deep
        pending += [(child, deep + 1) for child in reversed(branches) if child.parent == branch.id]


def why(cursor: SessionCursor) -> Text:
    """Describe a branch: both answers, the cause with its evidence, the confidence, and the cost."""
    branch = cursor.here
    if cursor.session.failure is not None:
        return _failed(cursor.session.failure)
    branch_json: dict[str, Any] = cursor.session.describe_branch(branch.id)
    text = Text()

    def line(head: str, value: str, style: str = "") -> None:
        text.append(f"{head:<16}", style="dim").append(brief(value, 4 * MAX_TEXT) + "\n", style=style)

    answer, cost = branch_json["answer"], branch_json["cost"]
    line("actual", " ".join(filter(None, answer["truth"] or ())) or branch_json["why"] or "no answer")
    line("predicted", " ".join(filter(None, answer["found"] or ())) or "no answer")
    if answer["right"] is not None and branch.status != "running":
        verdict = "right" if answer["right"] else "wrong"
        line("answer", verdict, STYLES[verdict])
    if branch.cause is not None:
        line("cause", cause_in_words(branch.cause), "bold")
    if branch.belief is not None:
        belief = branch.belief
        for head, step, chance in (
            ("predicted step", belief.wrote, belief.sure),
            ("actual step", belief.wanted, belief.truth),
        ):
            line(head, step.removesuffix("\n") + (f"   {percent(chance)}" if chance is not None else ""))
    for head in ("note", "why"):
        if branch_json[head]:
            line(head, branch_json[head])
    if cost is None:
        return text
    line("prompt", f"{cost['prompt_bytes']:,} bytes")
    sizes = [f"{cost[key]:,}" if cost[key] is not None else "none" for key in ("truth_bytes", "found_bytes")]
    line("bytes", f"{sizes[0]} actual, {sizes[1]} predicted, at most {cost['limit']:,}; status: {cost['status']}")
    return text


def _failed(failure: FailureExplanation) -> Text:
    """Why a test failed, with the history of each value."""
    text = Text()
    for label, sentence, style in failure_sentences(failure):
        text.append(f"{label:<16}", style="dim").append(brief(sentence, 4 * MAX_TEXT) + "\n", style=style)
    return text


def whole(named_value: NamedValue) -> Text:
    """Return both values of a name, uncut."""
    text = Text()
    for head, value in (("actual", named_value.left), ("predicted", named_value.right)):
        text.append(f"{head}\n", style="dim")
        text.append((printable(value) if value is not None else "no value") + "\n\n")
    return text


def help_text() -> Text:
    """Return every key with what it does, and what the symbols mean."""
    text = Text()
    for title, keys in KEYS.items():
        text.append(f"{title}\n", style="bold")
        for key in keys:
            text.append(f"  {key.signs:<12}", style="cyan").append(f"{key.label}\n")
        text.append("\n")
    text.append("Symbols\n", style="bold")
    for kind, meaning in (
        ("right", "right"),
        ("wrong", "wrong: everything before it was right"),
        ("consequential", "consequential: it follows from an earlier difference"),
        (OPEN, "nothing to compare: one run has no step there"),
    ):
        text.append(f"  {SIGNS[kind]:<10}", style=STYLES[kind]).append(f"{meaning}\n")
    for sign, meaning in (
        ("▲ F", "in the timeline: this step, the first divergence"),
        ("▶ A P", "in the source: the current line; the actual one, the predicted one"),
        ("▷ ●", "a waiting frame; a breakpoint"),
        ("*", "a value that this step changed"),
    ):
        text.append(f"  {sign:<10}").append(f"{meaning}\n")
    return text
