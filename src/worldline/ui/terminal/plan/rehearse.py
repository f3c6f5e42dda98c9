"""What a script would touch, in a terminal: a list with lines, a diff, and what was not seen. Its text is escaped."""

from __future__ import annotations

from itertools import groupby

from rich.console import Console
from rich.text import Text

from worldline.core.text import plural, printable, shortened
from worldline.plan.rehearse.change import GONE, FileChange
from worldline.plan.rehearse.effect import IMAGINED, KINDS, LEFT, TEXT, ScriptEffect
from worldline.plan.rehearse.rehearse import Rehearsal
from worldline.ui.terminal.plain import plain_table

WIDE = 72  # characters of a target
_TITLES = {
    "read": "reads", "write": "writes", "delete": "deletes", "rename": "renames", "change": "changes",
    "start": "starts", "signal": "signals", "send": "tries to send to", "listen": "listens on",
    "environment": "asks the environment for", "native": "calls directly",
}  # fmt: skip
_STYLES = {"+": "green", "-": "red", "@": "cyan"}
_PLACES = {"home": "in the home folder", "temporary": "temporary", "script": "beside the script"}


def print_rehearsal(console: Console, found: Rehearsal, *, rows: int = 200) -> None:
    """All of it; `rows` lines of diffs at most, 0 for all."""
    _say(console, f"{found.script} in a copy of {found.folder}", "bold")
    _say(console, found.promise, "yellow")
    _print_end(console, found)
    _print_effects(console, found)
    _print_changes(console, found, rows)
    for sentence in found.unseen:
        _say(console, f"not seen: {sentence}", "dim")


def _say(console: Console, text: str, style: str = "") -> None:
    console.print(Text(printable(text), style=style))


def _print_end(console: Console, found: Rehearsal) -> None:
    if found.outcome is None:
        _say(
            console, f"NOT RUN ({found.why_not_run}): what follows is imagined, or stands in the text", "red"
        )
        return
    said = (
        found.stderr.rstrip("\n").rpartition("\n")[2]
        if found.outcome.kind == "raised"
        else found.outcome.detail
    )
    where = f" in line {found.line}" if found.line else ""
    _say(console, f"ended: {found.outcome.kind}{where}{f': {shortened(said, 100)}' if said else ''}")
    printed = found.output.rstrip("\n").count("\n") + 1 if found.output else 0
    if printed:
        _say(
            console,
            f"printed: {plural(printed, 'line')}, the last: {shortened(found.output.splitlines()[-1], WIDE)}",
            "dim",
        )


def _print_effects(console: Console, found: Rehearsal) -> None:
    if not found.effects:
        nothing = "nothing outside itself was touched, as far as this run shows"
        _say(
            console,
            nothing if found.outcome else "no call that touches anything was found in its text by name",
        )
        return
    lines = found.source.split("\n")
    own = found.script.rpartition("/")[2]
    order = sorted(found.effects, key=lambda effect: (KINDS.index(effect.kind), effect.target))
    table = plain_table("", "what", "line", "source", texts=("what", "line", "source"))
    for (kind, target, more), group in groupby(order, key=_row):
        several = sorted({(effect.file, effect.line) for effect in group})
        file, line = several[0]
        is_own = not file or file.rpartition("/")[2] == own
        source = lines[line - 1].strip() if is_own and 0 < line <= len(lines) else ""
        shown = ", ".join(str(n) if is_own else f"{f}:{n}" for f, n in several[:4] if n) or "-"
        shown += " ..." if len(several) > 4 else ""
        what = shortened(target, WIDE) + (f" ({shortened(more, WIDE)})" if more else "")
        table.add_row(
            _TITLES[kind], Text(what), Text(printable(shown)), Text(shortened(source, WIDE), style="dim")
        )
    console.print(table)


def _row(effect: ScriptEffect) -> tuple[str, str, str]:
    """What is one row of the list: the same thing done to the same target, and how that is known."""
    arrow = f" -> {effect.detail}" if effect.kind == "rename" and effect.detail else ""
    said = ["" if effect.kind == "rename" else effect.detail, _PLACES.get(effect.place, "")]
    said += ["outside the folder"] if effect.place.startswith("outside") else []
    said += ["not there"] if effect.missing else []
    said += ["by a copy of itself"] if effect.child else []
    said += {
        LEFT: ["no line: seen by what was left"],
        IMAGINED: [_imagined(effect)],
        TEXT: ["IN THE TEXT, not known whether reached"],
    }.get(effect.seen, [])
    return effect.kind, effect.target + arrow, ", ".join(each for each in said if each)


def _imagined(effect: ScriptEffect) -> str:
    sure = "" if effect.probability is None else f", p {effect.probability:.2g} of the model's whole text"
    return f"IMAGINED{sure}"


def _print_changes(console: Console, found: Rehearsal, rows: int) -> None:
    diffs = [
        () if change.how == GONE else change.diff for change in found.changes
    ]  # what is gone has its size
    room = rows or sum(map(len, diffs))
    for change, diff in zip(found.changes, diffs, strict=True):
        _say(console, _heading(change), "bold")
        for line in diff[: max(0, room)]:
            _say(console, line, _STYLES.get(line[:1], ""))
        room -= len(diff)
    if room < 0:
        _say(console, f"... {plural(-room, 'more line')} of diffs; --rows 0 shows all", "dim")


def _heading(change: FileChange) -> str:
    sizes = [size for size in (change.before, change.after) if size is not None]
    told = (
        f", {' -> '.join([*(f'{size:,}' for size in sizes[:-1]), plural(sizes[-1], 'byte')])}"
        if sizes
        else ""
    )
    what = "" if change.kind == "file" else f" {change.kind}"
    return f"{change.how}{what}: {change.path}{told}{f' ({change.why})' if change.why else ''}"
