"""The paths of a function in the terminal: a table of classes, what was not reached, and how the search went."""

from __future__ import annotations

from itertools import groupby

from rich.console import Console
from rich.text import Text

from worldline.analyze.flow.conditions import Condition
from worldline.core.text import printable, shortened
from worldline.plan.paths.arcs import with_keyword
from worldline.plan.paths.path_class import PathClass, PathReport, SolverConditions
from worldline.ui.terminal.plain import plain_table

SHOWN = 8  # conditions of a class
LONGEST = 60  # characters of an input, and of a condition


def print_paths(console: Console, report: PathReport) -> None:
    """Each class with its conditions by line, an input, how it ended and who found it; then the arcs not reached."""
    table = plain_table("class", "input", "ends", "found by", "inputs", "conditions by line", texts=_TEXTS)
    for number, each in enumerate(report.classes, 1):
        table.add_row(str(number), *_cells(each))
    console.print(table)
    for arc in report.uncovered:
        console.print(Text(f"not reached: {printable(str(arc))}", style="yellow"))
    raising = [str(number) for number, each in enumerate(report.classes, 1) if each.raised]
    if raising:
        console.print(Text(f"raises: class {', '.join(raising)}"))
    console.print(Text(_summary(report), style="dim"))
    for notes in report.notes:
        console.print(Text(f"note: {printable(notes)}", style="dim"))


_TEXTS = ("input", "ends", "found by", "conditions by line")


def _cells(each: PathClass) -> list[Text]:
    end = each.trace.outcome
    told = "\n".join([_ways(each.conditions), *_solved(each.solved)])
    cells = [shortened(each.call, LONGEST), shortened(f"{end.kind} {end.detail}", LONGEST), each.found_by]
    return [Text(text) for text in (*cells, f"{each.inputs:,}", told)]


def _ways(conditions: tuple[Condition, ...]) -> str:
    """`3 if x > 0: yes, 5 for c in s: yes x4`, repetitions counted."""
    if not conditions:
        return "(decides nothing)"
    runs = [
        (way, len(list(same)))
        for way, same in groupby(conditions, key=lambda c: (c.line, with_keyword(c.kind, c.text), c.taken))
    ]
    told = [
        f"{line} {shortened(text, LONGEST)}: {'yes' if taken else 'no'}{f' x{count}' if count > 1 else ''}"
        for (line, text, taken), count in runs
    ]
    more = f", and {len(told) - SHOWN} more" if len(told) > SHOWN else ""
    return ", ".join(told[:SHOWN]) + more


def _solved(alternatives: tuple[SolverConditions, ...]) -> list[str]:
    """The first of the solver's alternatives, in terms of the inputs."""
    if not alternatives:
        return []
    first = [f"{line} {shortened(text, LONGEST)}" for line, text in alternatives[0][:SHOWN]]
    more = f" (and {len(alternatives) - 1} more)" if len(alternatives) > 1 else ""
    return (
        [f"where {', '.join(first)}{', ...' if len(alternatives[0]) > SHOWN else ''}{more}"] if first else []
    )


def _agreement(report: PathReport) -> list[str]:
    rightly, told = report.agreed
    return [f"of its {told:,} paths {rightly:,} end as it says"] if told else []


def _pathless(report: PathReport) -> list[str]:
    return [f"{report.unended:,} without a path (a limit, an exit, a wrong call)"] if report.unended else []


def _summary(report: PathReport) -> str:
    arcs = len(report.reached) + len(report.uncovered)
    seconds = ", ".join(f"{name} {spent:.1f} s" for name, spent in report.seconds.items())
    parts = [
        f"{len(report.classes):,} of {report.seen:,} classes", f"{len(report.reached):,} of {arcs:,} arcs",
        f"{report.tried:,} inputs tried", *_pathless(report),
        *([f"{report.unconfirmed:,} not confirmed and left out"] if report.unconfirmed else []),
        f"CrossHair: {printable(report.solver)}", *_agreement(report), seconds,
    ]  # fmt: skip
    return "; ".join(parts)
