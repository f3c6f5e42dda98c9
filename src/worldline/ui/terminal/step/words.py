"""What `worldline step` says in words: heading, place, branches, why a branch went as it did, and the help.

Every text of a program or a model goes through `printable`. Colours and places on the screen are `draw`'s.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.text import Text

from worldline.core.text import printable
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
LONG = 400  # characters of a text in a sentence


def brief(text: str, most: int = LONG) -> str:
    """A text as one printable line, cut where it is long."""
    return printable(text[:most]) + ("…" if len(text) > most else "")


def named(edit: BranchEdit | None) -> str:
    """An intervention in a few words."""
    if edit is None:
        return "the run"
    at = f" at step {edit.step}"
    if edit.kind == "edit":
        name, value = brief(edit.name or "", 40), edit.value
        return f"{name} gone{at}" if value is None else f"{name} = {brief(value, 40)}{at}"
    if edit.kind == "line":
        return f"line {edit.line} forced{at}"
    return f"budget {edit.limit:,} bytes" if edit.kind == "budget" else f"rewritten: {edit.how}"


def heading(cursor: SessionCursor, progress: RolloutProgress | None) -> Text:
    """What is run, by whom, on which branch, and how far that is."""
    program = cursor.here.ask.program
    what = program.call if program.call is not None else " ".join([program.name, *program.argv])
    text = Text.assemble((brief(what, 80), "bold"), ("  " + brief(cursor.session.model, 40), "dim"))
    if len(cursor.session.branches) > 1:
        text.append(f"  branch {cursor.branch}: {named(cursor.here.edit)}", style="cyan")
    return text.append("  ").append_text(_status(cursor.session, cursor.here, progress))


def _status(session: Session, branch: Branch, progress: RolloutProgress | None) -> Text:
    """How a branch stands: written so far, or how it came out."""
    if branch.status == "running":
        if progress is None or progress.branch != branch.id or progress.stage == "truth":
            return Text("the interpreter runs …", style="yellow")
        return Text(f"writing … {progress.bytes:,} bytes, {progress.steps:,} steps", style="yellow")
    if branch.status == "failed":
        return Text(f"failed: {brief(branch.note)}", style="bold red")
    if branch.status == "stopped":
        return Text(f"stopped at {len(branch.found.text):,} bytes", style="yellow")
    return Text(*_verdict(session, branch))


def _verdict(session: Session, branch: Branch) -> tuple[str, str]:
    if branch.truth is None:
        return "no truth to compare with", "yellow"
    cause, first = branch.cause, first_divergence(session.run_diff(branch.id), branch)
    if first is not None:
        return (f"parts at step {first}: {cause.name}" if cause else f"parts at step {first}"), "bold red"
    if branch.found.status == "budget":
        return "cut by its budget (m extends it)", "yellow"
    return "right", "green"


def place(cursor: SessionCursor) -> Text:
    """The row in hand: its verdicts, how sure the model was, and what differs."""
    if not cursor.count:
        return Text(brief(cursor.here.why or "nothing to see yet"), style="dim")
    told = cursor.row_json(cursor.row)
    text = Text().append(f"step {cursor.row:,} of {cursor.count - 1:,}  ", style="bold")
    if cursor.run_diff.left is None:
        text.append(brief(f"no run of the interpreter: {cursor.here.why}") + "  ", style="yellow")
    else:
        text.append_text(_judged(told))
    differs, right = cursor.run_diff.rows[cursor.row].differs, told["right"]
    if differs and cursor.row < cursor.written:
        text.append(brief(differences_in_words(differs)) + "  ", style="red")
    if right is None:
        text.append("not written yet" if cursor.is_running else "the model has no step here")
    elif right["sure"] is not None:
        text.append(f"sure {percent(right['sure_action'])} / {percent(right['sure_state'])}", style="dim")
    return text


def _judged(told: Mapping[str, Any]) -> Text:
    """The verdicts on a row's action and state, those that are not right by name."""
    text = Text()
    for what in ("action", "state"):
        if told[what] not in ("right", OPEN):
            text.append(f"{SIGNS[told[what]]} {what} {told[what]}  ", style=STYLES[told[what]])
    if text or told["action"] == OPEN:
        return text
    return Text().append(f"{SIGNS['right']} right  ", style=STYLES["right"])


def tree(session: Session, chosen: int) -> list[tuple[int, Text]]:
    """The branches, each under the one that it was made from."""
    found = []
    for branch, depth in _ordered(session.branches, None, 0):
        text = Text("▶ " if branch.id == chosen else "  ")
        text.append("  " * (depth - 1) + "└ " if depth else "", style="dim")
        text.append(f"{branch.id} {named(branch.edit)}  ").append_text(_status(session, branch, None))
        found.append((branch.id, text))
    return found


def _ordered(branches: Sequence[Branch], parent: int | None, depth: int) -> Iterator[tuple[Branch, int]]:
    pending = [(one, depth) for one in reversed(branches) if one.parent == parent]
    while pending:
        branch, deep = pending.pop()
        yield branch, deep
        pending += [(one, deep + 1) for one in reversed(branches) if one.parent == branch.id]


def why(cursor: SessionCursor) -> Text:
    """A branch as a whole: both answers, the cause with its evidence, what the model believed, the cost."""
    branch = cursor.here
    told: dict[str, Any] = cursor.session.describe_branch(branch.id)
    text = Text()

    def line(head: str, said: str, style: str = "") -> None:
        text.append(f"{head:<13}", style="dim").append(brief(said, 4 * LONG) + "\n", style=style)

    answer, cost = told["answer"], told["cost"]
    line("interpreter", " ".join(filter(None, answer["truth"] or ())) or told["why"] or "no answer")
    line("model", " ".join(filter(None, answer["found"] or ())) or "no answer")
    if answer["right"] is not None and branch.status != "running":
        line(
            "answer", "right" if answer["right"] else "wrong", STYLES["right" if answer["right"] else "wrong"]
        )
    if branch.cause is not None:
        line("cause", cause_in_words(branch.cause), "bold")
    if branch.belief is not None:
        belief = branch.belief
        for head, what, chance in (
            ("it wrote", belief.wrote, belief.sure),
            ("the truth is", belief.wanted, belief.truth),
        ):
            line(head, what.removesuffix("\n") + (f"   {percent(chance)}" if chance is not None else ""))
    for head in ("note", "why"):
        if told[head]:
            line(head, told[head])
    line("prompt", f"{cost['prompt_bytes']:,} bytes")
    sizes = [f"{cost[key]:,}" if cost[key] is not None else "none" for key in ("truth_bytes", "found_bytes")]
    line(
        "bytes",
        f"{sizes[0]} true, {sizes[1]} imagined, at most {cost['limit']:,}; it ended: {cost['status']}",
    )
    return text


def whole(one: NamedValue) -> Text:
    """Both values of a name, uncut."""
    text = Text()
    for head, value in (("interpreter", one.left), ("model", one.right)):
        text.append(f"{head}\n", style="dim")
        text.append((printable(value) if value is not None else "no value") + "\n\n")
    return text


def help_text() -> Text:
    """Every key with what it does, and what the signs mean."""
    text = Text()
    for title, keys in KEYS.items():
        text.append(f"{title}\n", style="bold")
        for key in keys:
            text.append(f"  {key.signs:<12}", style="cyan").append(f"{key.label}\n")
        text.append("\n")
    text.append("Signs\n", style="bold")
    for kind, meaning in (
        ("right", "right"),
        ("wrong", "wrong: all that was known before it was right"),
        ("consequential", "consequential: it follows from an earlier difference"),
        (OPEN, "nothing to compare: a side has no step there"),
    ):
        text.append(f"  {SIGNS[kind]:<10}", style=STYLES[kind]).append(f"{meaning}\n")
    for sign, meaning in (
        ("▲ F", "in the timeline: this step, the first divergence"),
        ("▶ T M", "in the source: the line that runs; the interpreter's, the model's"),
        ("▷ ●", "a frame that waits there; a breakpoint"),
        ("*", "a value that this step changed"),
    ):
        text.append(f"  {sign:<10}").append(f"{meaning}\n")
    return text
