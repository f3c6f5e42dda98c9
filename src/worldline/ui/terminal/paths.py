"""The paths of a function in a terminal: what is known, a table of path classes, arcs not reached, statistics."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby

from rich.console import Console
from rich.text import Text

from worldline.analyze.flow.conditions.jumps import DecisionOutcome
from worldline.core.text import printable, shortened
from worldline.plan.paths.path_class import PathClass, PathReport, SolverConditions
from worldline.ui.terminal.plain import plain_table

MAX_DECISIONS = 8  # shown of a class
MAX_TEXT = 60  # characters of an input, and of a condition
_TEXTS = ("input", "outcome", "found by", "decisions")


def print_paths(console: Console, report: PathReport) -> None:
    """Print what is known; each path class with its decisions, an input and its outcome; the arcs not reached."""
    console.print(Text(printable(str(report.completeness)), style="bold"))
    table = plain_table("class", "input", "outcome", "found by", "inputs", "decisions", texts=_TEXTS)
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
    decisions = "\n".join([_decisions(path.decisions), *_solved(path.solved)])
    cells = [shortened(path.call, MAX_TEXT), shortened(f"{outcome.kind} {outcome.detail}", MAX_TEXT), path.found_by]
    return [Text(text) for text in (*cells, f"{path.inputs:,}", decisions)]


def _decisions(decisions: tuple[DecisionOutcome, ...]) -> str:
    """`3:7 x > 0 → true, 5:4 for c in s → next item x4`, with repetitions counted."""
    if not decisions:
        return "(no decision)"
    shown = (str(replace(decision, text=shortened(decision.text, MAX_TEXT))) for decision in decisions)
    counts = [(text, len(list(group))) for text, group in groupby(shown)]
    texts = [f"{text}{f' x{count}' if count > 1 else ''}" for text, count in counts]
    more = f", and {len(texts) - MAX_DECISIONS} more" if len(texts) > MAX_DECISIONS else ""
    return ", ".join(texts[:MAX_DECISIONS]) + more


def _solved(alternatives: tuple[SolverConditions, ...]) -> list[str]:
    """The first alternative of the solver, in terms of the inputs."""
    if not alternatives:
        return []
    first = [f"{line} {shortened(text, MAX_TEXT)}" for line, text in alternatives[0][:MAX_DECISIONS]]
    more = f" (and {len(alternatives) - 1} more)" if len(alternatives) > 1 else ""
    return [f"where {', '.join(first)}{', ...' if len(alternatives[0]) > MAX_DECISIONS else ''}{more}"] if first else []


def _agreement(report: PathReport) -> list[str]:
    right, total = report.agreed
    return [f"{right:,} of its {total:,} predicted outcomes are right"] if total else []


def _pathless(report: PathReport) -> list[str]:
    return [f"{report.unended:,} without a path (limit, exit or wrong call)"] if report.unended else []


def _summary(report: PathReport) -> str:
    arcs = len(report.reached) + len(report.uncovered)
    seconds = ", ".join(f"{name} {spent:.1f} s" for name, spent in report.seconds.items())
    parts = [
        f"{len(report.reached):,} of {arcs:,} arcs reached",
        f"{report.tried:,} inputs tried",
        *_pathless(report),
        *([f"{report.unconfirmed:,} not confirmed and left out"] if report.unconfirmed else []),
        f"CrossHair: {printable(report.solver)}",
        *_agreement(report),
        seconds,
    ]
    return "; ".join(parts)
