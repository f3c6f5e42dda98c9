"""The paths of a function in a terminal: a table of path classes, arcs not reached, and how the search went."""

from __future__ import annotations

from itertools import groupby

from rich.console import Console
from rich.text import Text

from worldline.analyze.flow.conditions import Condition
from worldline.core.text import printable, shortened
from worldline.plan.paths.arcs import with_keyword
from worldline.plan.paths.path_class import PathClass, PathReport, SolverConditions
from worldline.ui.terminal.plain import plain_table

MAX_CONDITIONS = 8  # shown of a class
MAX_TEXT = 60  # characters of an input, and of a condition
_TEXTS = ("input", "outcome", "found by", "conditions by line")


def print_paths(console: Console, report: PathReport) -> None:
    """Print each path class with its conditions, an input and its outcome; then the arcs not reached."""
    table = plain_table("class", "input", "outcome", "found by", "inputs", "conditions by line", texts=_TEXTS)
    for number, path in enumerate(report.classes, 1):
        table.add_row(str(number), *_cells(path))
    console.print(table)
    for arc in report.uncovered:
        console.print(Text(f"not reached: {printable(str(arc))}", style="yellow"))
    raising = [str(number) for number, path in enumerate(report.classes, 1) if path.raised]
    if raising:
        console.print(Text(f"raises: class {', '.join(raising)}"))
    console.print(Text(_summary(report), style="dim"))
    for note in report.notes:
        console.print(Text(f"note: {printable(note)}", style="dim"))


def _cells(path: PathClass) -> list[Text]:
    outcome = path.trace.outcome
    conditions = "\n".join([_decisions(path.conditions), *_solved(path.solved)])
    cells = [shortened(path.call, MAX_TEXT), shortened(f"{outcome.kind} {outcome.detail}", MAX_TEXT), path.found_by]
    return [Text(text) for text in (*cells, f"{path.inputs:,}", conditions)]


def _decisions(conditions: tuple[Condition, ...]) -> str:
    """`3 if x > 0: yes, 5 for c in s: yes x4`, with repetitions counted."""
    if not conditions:
        return "(no conditions)"
    runs = [
        (decision, len(list(group)))
        for decision, group in groupby(conditions, key=lambda c: (c.line, with_keyword(c.kind, c.text), c.taken))
    ]
    texts = [
        f"{line} {shortened(text, MAX_TEXT)}: {'yes' if taken else 'no'}{f' x{count}' if count > 1 else ''}"
        for (line, text, taken), count in runs
    ]
    more = f", and {len(texts) - MAX_CONDITIONS} more" if len(texts) > MAX_CONDITIONS else ""
    return ", ".join(texts[:MAX_CONDITIONS]) + more


def _solved(alternatives: tuple[SolverConditions, ...]) -> list[str]:
    """The first alternative of the solver, in terms of the inputs."""
    if not alternatives:
        return []
    first = [f"{line} {shortened(text, MAX_TEXT)}" for line, text in alternatives[0][:MAX_CONDITIONS]]
    more = f" (and {len(alternatives) - 1} more)" if len(alternatives) > 1 else ""
    return (
        [f"where {', '.join(first)}{', ...' if len(alternatives[0]) > MAX_CONDITIONS else ''}{more}"] if first else []
    )


def _agreement(report: PathReport) -> list[str]:
    right, total = report.agreed
    return [f"{right:,} of its {total:,} predicted outcomes are right"] if total else []


def _pathless(report: PathReport) -> list[str]:
    return [f"{report.unended:,} without a path (limit, exit or wrong call)"] if report.unended else []


def _summary(report: PathReport) -> str:
    arcs = len(report.reached) + len(report.uncovered)
    seconds = ", ".join(f"{name} {spent:.1f} s" for name, spent in report.seconds.items())
    parts = [
        f"{len(report.classes):,} of {report.seen:,} classes",
        f"{len(report.reached):,} of {arcs:,} arcs reached",
        f"{report.tried:,} inputs tried",
        *_pathless(report),
        *([f"{report.unconfirmed:,} not confirmed and left out"] if report.unconfirmed else []),
        f"CrossHair: {printable(report.solver)}",
        *_agreement(report),
        seconds,
    ]
    return "; ".join(parts)
