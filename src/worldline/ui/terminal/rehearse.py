"""What a script would touch, in a terminal: effects with their lines, diffs, and what was not observed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.console import Console
from rich.text import Text

from worldline.core.text import plural, printable, shortened
from worldline.plan.rehearse.branch import BY_LOOP, BY_MODEL, BY_STUB, AssumedBranch, Assumption
from worldline.plan.rehearse.change import GONE, FileChange
from worldline.plan.rehearse.effect import ASSUMED, IMAGINED, KINDS, LEFT, TEXT, ScriptEffect
from worldline.plan.rehearse.rehearse import Rehearsal
from worldline.ui.terminal.plain import plain_table

_RESULTS = {
    "import ": "finds a module with unknown contents",
    "os.environ[": "is set, to an unknown text",
    "open(": "finds a file with unknown content",
    "time.sleep(": "returns at once, and the clocks of `time` jump",
}
MAX_TARGET = 72  # characters
MAX_CONDITION = 100
MAX_PRINTED = 5  # lines of output of a branch
_TITLES = {
    "read": "reads", "write": "writes", "delete": "deletes", "rename": "renames", "change": "changes",
    "start": "starts", "signal": "signals", "send": "tries to send to", "listen": "listens on",
    "environment": "reads the environment variable", "native": "calls native code",
}  # fmt: skip
_STYLES = {"+": "green", "-": "red", "@": "cyan"}
_PLACES = {"home": "in the home folder", "temporary": "temporary", "script": "beside the script"}


def print_rehearsal(console: Console, rehearsal: Rehearsal, *, rows: int = 200) -> None:
    """Print a rehearsal; at most `rows` lines of diffs, 0 for all."""
    _say(console, f"{rehearsal.script} in a copy of {rehearsal.folder}", "bold")
    _say(console, rehearsal.promise, "yellow")
    _print_end(console, rehearsal)
    _print_effects(console, rehearsal)
    _print_changes(console, rehearsal.changes, rows)
    _print_branches(console, rehearsal, rows)
    for sentence in rehearsal.unseen:
        _say(console, f"not observed: {sentence}", "dim")


def _say(console: Console, text: str, style: str = "") -> None:
    console.print(Text(printable(text), style=style))


def _print_end(console: Console, rehearsal: Rehearsal) -> None:
    if rehearsal.outcome is None:
        why = rehearsal.why_not_run
        _say(console, f"NOT EXECUTED ({why}): what follows is predicted or read from the source", "red")
        return
    message = (
        rehearsal.stderr.rstrip("\n").rpartition("\n")[2]
        if rehearsal.outcome.kind == "raised"
        else rehearsal.outcome.detail
    )
    where = f" in line {rehearsal.line}" if rehearsal.line else ""
    _say(console, f"ended: {rehearsal.outcome.kind}{where}{f': {shortened(message, 100)}' if message else ''}")
    printed = rehearsal.output.rstrip("\n").count("\n") + 1 if rehearsal.output else 0
    if printed:
        last = shortened(rehearsal.output.splitlines()[-1], MAX_TARGET)
        _say(console, f"printed: {plural(printed, 'line')}, the last: {last}", "dim")


def _print_effects(console: Console, rehearsal: Rehearsal) -> None:
    if not rehearsal.effects:
        executed = "the script touched nothing outside itself in this run"
        _say(console, executed if rehearsal.outcome else "no call in the source is known to touch anything")
        return
    _print_table(console, rehearsal, rehearsal.effects)


def _print_table(console: Console, rehearsal: Rehearsal, effects: Sequence[ScriptEffect]) -> None:
    lines = rehearsal.source.split("\n")
    own = rehearsal.script.rpartition("/")[2]
    order = sorted(effects, key=lambda effect: (KINDS.index(effect.kind), effect.target))
    table = plain_table("", "what", "line", "source", texts=("what", "line", "source"))
    for (kind, target, more), group in groupby(order, key=_row):
        several = sorted({(effect.file, effect.line) for effect in group})
        file, line = several[0]
        is_own = not file or file.rpartition("/")[2] == own
        source = lines[line - 1].strip() if is_own and 0 < line <= len(lines) else ""
        shown = ", ".join(str(n) if is_own else f"{f}:{n}" for f, n in several[:4] if n) or "-"
        shown += " ..." if len(several) > 4 else ""
        action = shortened(target, MAX_TARGET) + (f" ({shortened(more, MAX_TARGET)})" if more else "")
        table.add_row(
            _TITLES[kind], Text(action), Text(printable(shown)), Text(shortened(source, MAX_TARGET), style="dim")
        )
    console.print(table)


def _row(effect: ScriptEffect) -> tuple[str, str, str]:
    """The key of a row: the same action on the same target, known in the same way."""
    arrow = f" -> {effect.detail}" if effect.kind == "rename" and effect.detail else ""
    details = ["" if effect.kind == "rename" else effect.detail, _PLACES.get(effect.place, "")]
    details += ["outside the folder"] if effect.place.startswith("outside") else []
    details += ["missing"] if effect.missing else [_failure(effect)] if effect.failed else []
    details += ["by a copy of itself"] if effect.child else []
    details += {
        LEFT: ["no line: seen by its traces"],
        IMAGINED: [_predicted(effect)],
        TEXT: ["IN THE SOURCE, may not be reached"],
        ASSUMED: ["PREDICTED"],
    }.get(effect.seen, [])
    return effect.kind, effect.target + arrow, ", ".join(detail for detail in details if detail)


def _failure(effect: ScriptEffect) -> str:
    """How an attempt ended. The host might have allowed what the sandbox refuses."""
    return "refused by the sandbox" if effect.place.startswith("outside") else f"failed: {effect.failed}"


def _predicted(effect: ScriptEffect) -> str:
    probability = effect.probability
    return "PREDICTED" if probability is None else f"PREDICTED, p = {probability:.2g} for the whole text"


def _print_changes(console: Console, changes: Sequence[FileChange], rows: int, label: str = "") -> None:
    # A deleted file is shown by its size.
    diffs = [() if change.how == GONE else change.diff for change in changes]
    left = rows or sum(map(len, diffs))
    for change, diff in zip(changes, diffs, strict=True):
        _say(console, label + _heading(change), "bold")
        for line in diff[: max(0, left)]:
            _say(console, line, _STYLES.get(line[:1], ""))
        left -= len(diff)
    if left < 0:
        _say(console, f"... {plural(-left, 'more line')} of diffs; --rows 0 shows all", "dim")


def _print_branches(console: Console, rehearsal: Rehearsal, rows: int) -> None:
    """Print what follows from assumed answers, each branch with what it assumes."""
    if not rehearsal.branches:
        return
    more = ", and there are more (--branches N)" if rehearsal.has_more_branches else ""
    count = len(rehearsal.branches)
    heading = f"PREDICTED, past what is missing: {count} {'branch' if count == 1 else 'branches'}{more}"
    _say(console, heading, "bold red")
    _say(console, "Nothing below was observed: it follows from answers that were assumed.", "yellow")
    first = rehearsal.branches[0].assumptions
    for number, branch in enumerate(rehearsal.branches, 1):
        _say(console, f"branch {number} of {count}", "bold")
        if number > 1:
            _say(console, "  assumed: what branch 1 assumes, as far as the branch gets")
        for item, times in _counted(branch.assumptions):
            if number > 1 and item in first:
                continue
            repeats = f" (the first of {times} times)" if times > 1 else ""
            _say(console, f"  assumed, {_where(item.file, item.line, rehearsal)}: {_assumed(item)}{repeats}")
        for decision in branch.decisions:
            holds = "holds" if decision.holds else "does not hold"
            where = _where(decision.file, decision.line, rehearsal)
            _say(console, f"  if, {where}: {_without_middle(decision.condition)} {holds}", "cyan")
        _print_branch_end(console, branch)
        if branch.effects:
            _print_table(console, rehearsal, branch.effects)
        _print_changes(console, branch.changes, rows, "PREDICTED ")


def _counted(assumptions: Sequence[Assumption]) -> Iterator[tuple[Assumption, int]]:
    """Yield each assumption, and of a loop that is stopped again and again the first with their number."""
    loops = [(item.file, item.line) for item in assumptions if item.by == BY_LOOP]
    seen = set[tuple[str, int]]()
    for item in assumptions:
        place = (item.file, item.line)
        if item.by != BY_LOOP:
            yield item, 1
        elif place not in seen:
            seen.add(place)
            yield item, loops.count(place)


def _without_middle(text: str) -> str:
    """Shorten a long condition: its end says what is asked of its start."""
    return text if len(text) <= MAX_CONDITION else f"{text[:30]}...{text[33 - MAX_CONDITION :]}"


def _where(file: str, line: int, rehearsal: Rehearsal) -> str:
    name = rehearsal.script.rpartition("/")[2]
    return f"line {line}" if not file or file.rpartition("/")[2] == name else f"{file}:{line}"


def _assumed(item: Assumption) -> str:
    if item.by == BY_LOOP:
        return "; ".join(filter(None, (item.what, item.answer)))
    what = _without_middle(item.what)
    if item.by == BY_MODEL:
        chance = "" if item.probability is None else f", p = {item.probability:.2g}, not calibrated"
        return f"{what} is {item.answer} (predicted by the model{chance})"
    if item.by == BY_STUB:
        return f"{what}{f' is {item.answer}' if item.answer else ''} (your stub)"
    if item.answer:
        return f"{what} is {item.answer}"
    result = next(
        (text for start, text in _RESULTS.items() if what.startswith(start)), "succeeds, with unknown results"
    )
    return f"{what} {result}"


def _print_branch_end(console: Console, branch: AssumedBranch) -> None:
    message = branch.stderr.rstrip("\n").rpartition("\n")[2] if branch.outcome.kind == "raised" else ""
    where = f" in line {branch.line}" if branch.line else ""
    detail = message or branch.outcome.detail
    _say(console, f"  then: {branch.outcome.kind}{where}{f': {shortened(detail, 100)}' if detail else ''}")
    for line in branch.output.splitlines()[:MAX_PRINTED]:
        _say(console, f"  prints: {shortened(line, MAX_TARGET)}", "dim")


def _heading(change: FileChange) -> str:
    sizes = [size for size in (change.before, change.after) if size is not None]
    before = f"{sizes[0]:,} -> " if len(sizes) > 1 else ""
    size = f", {before}{plural(sizes[-1], 'byte')}" if sizes else ""
    kind = "" if change.kind == "file" else f" {change.kind}"
    return f"{change.how}{kind}: {change.path}{size}{f' ({change.why})' if change.why else ''}"
