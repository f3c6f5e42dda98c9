"""The results of `ask` and the `plan` commands in a terminal: answers, inputs, outputs, matches, plans, patches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from worldline.core.text import plural, printable, shortened
from worldline.plan.answer import IMAGINED, MIXED, RUN, Answer, ExecutionCost
from worldline.plan.repair.candidate import BY_EDITS
from worldline.ui.terminal.plain import plain_table, program_title

if TYPE_CHECKING:
    from worldline.core.program import Program
    from worldline.plan.inputs.search import InputReport
    from worldline.plan.outputs.report import CheckedValue, OutputsReport
    from worldline.plan.play.match import Match
    from worldline.plan.question import Question
    from worldline.plan.repair.candidate import PassingPatch
    from worldline.plan.repair.search import Repair
    from worldline.plan.search_tree import SearchTree

MAX_INPUT = 400  # characters of a call and of its result
MAX_PATCHES = 4  # with different results, that are shown
MAX_OUTPUT = 120  # characters of a value that a test expects
_HOW = {RUN: "executed", IMAGINED: "predicted", MIXED: "partly executed"}
_COLOURS = {RUN: "green", IMAGINED: "yellow", MIXED: "yellow"}
_DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def _print_diff(console: Console, diff: str) -> None:
    for line in diff.splitlines():
        console.print(Text(printable(line), style=_DIFF_STYLES.get(line[:1], "")), soft_wrap=True)


# ---- ask


def print_answer(console: Console, program: Program, question: Question, answer: Answer) -> None:
    """Print a question, its answer, how that is known, and its cost."""
    console.print(Text.assemble((program_title(program), "bold"), (f"  {question}", "dim")), soft_wrap=True)
    value = "unknown" if answer.value is None else printable(answer.value)
    console.print(Text(value, style=_COLOURS.get(answer.how, "red")), soft_wrap=True)
    why = answer.why[:1].upper() + answer.why[1:] if answer.how == RUN else f"{_how(answer)}: {answer.why}"
    console.print(Text(printable(why), style="dim"), soft_wrap=True)
    console.print(Text(f"cost: {cost_in_words(answer.spent)}", style="dim"), soft_wrap=True)


def _how(answer: Answer) -> str:
    how, odds = _HOW.get(answer.how, answer.how), answer.probability
    return how if odds is None else f"{how}, confidence at least {100 * odds:.1f} %"


def cost_in_words(cost: ExecutionCost) -> str:
    """Describe the cost of an answer."""
    counts = ((cost.executions, "execution"), (cost.steps, "true step"), (cost.bytes, "predicted byte"))
    return ", ".join(plural(n, unit) for n, unit in counts if n) or "nothing"


# ---- plan input


def print_input(console: Console, report: InputReport) -> None:
    """Print the input that reaches the goal, or the nearest one that does not."""
    if report.call is not None:
        console.print(Text(printable(report.call), style="bold"))
        outcome = "" if report.trace is None else report.trace.outcome.kind
        console.print(Text(f"{outcome} {shortened(report.came, MAX_INPUT)}".strip()))
        at = f"execution {report.found_at:,} ({report.executions:,} in all)"
        console.print(Text(f"found by {report.found_by} in {at}, confirmed by a recording", style="dim"))
        if report.first_call != report.call:
            first = shortened(report.first_call, MAX_INPUT)
            count = plural(report.simplifying, "execution")
            console.print(Text(f"simplified from {first} in {count}", style="dim"))
    else:
        goal = printable(report.goal.text)
        console.print(Text(f"no input found for {goal} in {plural(report.executions, 'execution')}"))
        if (near := report.nearest) is not None:
            text = f"nearest: {shortened(near.call, MAX_INPUT)}: {shortened(near.came, MAX_INPUT)}"
            console.print(Text(text, style="dim"))
    if report.imagined:
        console.print(Text(f"{report.imagined:,} bytes predicted to order the first inputs", style="dim"))
    for note in report.notes:
        console.print(Text(f"note: {printable(note)}", style="dim"))


# ---- plan outputs


def print_outputs(console: Console, report: OutputsReport, *, sure: float) -> None:
    """Print the filled-in values as a diff, then assertions that fail, and where a model disagrees with the code."""
    _print_diff(console, report.diff)
    for value in report.values:
        for sentence in _about_value(value, sure):
            console.print(Text(f"line {value.expectation.line}: {sentence}", style="yellow"), soft_wrap=True)
    if not report.values:
        example = "write `assert f(3) == ...` in a test function, with `...` for a value to fill in"
        console.print(Text(f"no assertion to fill in or to check: {example}"), soft_wrap=True)
        return
    blanks = [value for value in report.values if value.expectation.blank is not None]
    filled = sum(value.value is not None for value in blanks)
    held = sum(value.holds is True for value in report.values)
    others = len(report.values) - len(blanks)
    summary = f"filled in: {filled} of {len(blanks)} blanks; other assertions that hold: {held} of {others}"
    console.print(Text(summary, style="dim"))


def _about_value(checked: CheckedValue, sure: float) -> Iterator[str]:
    expression = shortened(checked.expectation.value, MAX_OUTPUT)
    if checked.holds is False:
        expected = shortened(checked.expectation.wanted, MAX_OUTPUT)
        yield f"{expression} is {shortened(checked.value or '', MAX_OUTPUT)}, the test expects {expected}"
    elif checked.why:
        yield f"{expression}: {printable(checked.why)}"
    if checked.answer is not None:
        yield _about_answer(expression, checked.answer)
    if checked.disagrees(sure):
        predicted = shortened(checked.imagined or "", MAX_OUTPUT)
        probability = checked.probability
        confidence = "not calibrated" if probability is None else f"confidence at least {probability:.0%}"
        yield f"{expression}: the model predicts {predicted} ({confidence}), the code returns another value"


def _about_answer(expression: str, answer: Answer) -> str:
    """Say what is known of a value that no run of the tests reached."""
    if answer.value is None:
        return f"{expression}: unknown, {printable(answer.why)}"
    value = shortened(answer.value, MAX_OUTPUT)
    if answer.how == RUN:
        return f"{expression} alone is {value}, without the set-up of its test: {printable(answer.why)}"
    odds = "" if answer.probability is None else f" (confidence at least {answer.probability:.0%})"
    return f"{expression}: PREDICTED {value}{odds}, {printable(answer.why)}"


# ---- plan play


def print_match(console: Console, match: Match, imagined: Mapping[str, Mapping[str, Any]]) -> None:
    """Print a row for each player, and a line for each world that a model predicted."""
    table = plain_table("player", "won", "drawn", "of", "rate", "95 % interval", "mean return")
    for standing in match.standings:
        won = standing.won
        low, high = won.interval
        table.add_row(
            Text(printable(standing.name)),
            f"{won.some:,}",
            f"{standing.drawn:,}",
            f"{won.n:,}",
            "" if won.rate is None else f"{100 * won.rate:.1f} %",
            f"{100 * low:.1f} - {100 * high:.1f}",
            f"{standing.mean:+.3f}",
        )
    console.print(table)
    for name, counts in imagined.items():
        text = _fitted(counts) if "lessons" in counts else _predicted(counts)
        console.print(Text(f"{name}: {text}", style="dim"))


def _predicted(counts: Mapping[str, Any]) -> str:
    right = counts["right"]
    return (
        f"{plural(counts['steps'], 'step')} predicted ({plural(counts['bytes'], 'byte')}), "
        f"{counts['run']:,} executed instead; "
        f"of the accepted predictions {right['some']:,} of {right['n']:,} match the rules"
    )


def _fitted(counts: Mapping[str, Any]) -> str:
    before, after = counts["before"], counts["after"]
    return (
        f"trained on {plural(counts['lessons'], 'observed move')} "
        f"({plural(counts['steps'], 'step')}, {counts['cpu_seconds']:.0f} CPU-seconds); "
        f"of {after['n']:,} new moves it predicts {after['some']:,} right, {before['some']:,} before"
    )


# ---- plan reach


def print_reached(console: Console, tree: SearchTree, note: str = "") -> None:
    """Print the chosen commands with the state after each, and the figures of the search."""
    console.print(Text(printable(tree.title), style="bold"))
    chosen = [node for node in tree.nodes if node.chosen]
    if chosen:
        table = plain_table("", "command", "visits", "state", texts=("command", "state"))
        for number, node in enumerate(chosen):
            label, state = Text(printable(node.label)), Text(printable(node.note))
            table.add_row(str(number), label, str(node.visits), state)
        console.print(table)
    for name, text in tree.facts[2:]:
        console.print(Text(printable(f"{name}: {text}")))
    if note:
        console.print(Text(printable(note), style="dim"))


# ---- plan repair


def print_repair(console: Console, repair: Repair) -> None:
    """Print one patch for each different result, an input to choose by, and the cost of the search."""
    every = "the 1 test" if repair.tests == 1 else f"all {repair.tests:,} tests"
    candidates = plural(repair.candidates, "candidate")
    if not repair.failing:
        verb = "passes" if repair.tests == 1 else "pass"
        console.print(Text(f"{every} of {repair.name} {verb}: there is nothing to repair"))
        return
    groups = [group.patches for group in repair.comparison.groups] or [(patch,) for patch in repair.patches]
    for number, patches in enumerate(groups[:MAX_PATCHES], 1):
        _print_diff(console, patches[0].patch)
        label = f"patch {number}: " if len(groups) > 1 else ""
        console.print(Text(f"{label}passes {every} ({_origin(patches[0])}, candidate {patches[0].tried:,})"))
        _print_scope(console, repair, number - 1)
        console.print()
    if not repair.patches:
        console.print(Text(f"no patch found among {repair.tried:,} of {candidates}"))
    _print_choice(console, repair)
    tried = f"tried {repair.tried:,} of {candidates}, each first on {printable(repair.first_failing)}"
    summary = f"{tried}; {plural(repair.spent.executions, 'execution')}"
    if repair.imagined:
        summary += f", {plural(repair.spent.bytes, 'byte')} predicted for {plural(repair.imagined, 'candidate')}"
    console.print(Text(summary), soft_wrap=True)
    if repair.left_out:
        console.print(Text(f"left out, because they use fixtures: {plural(repair.left_out, 'test')}"))


def _origin(patch: PassingPatch) -> str:
    """Say what a patch changes, or who has proposed it."""
    return f"edit: {patch.kind}" if patch.by == BY_EDITS else f"proposed by {printable(patch.by)}"


def _print_scope(console: Console, repair: Repair, number: int) -> None:
    """Say on how many drawn inputs a patch changes the result, and which other patches do the same."""
    comparison = repair.comparison
    if not comparison.inputs:
        return
    group = comparison.groups[number]
    text = f"changes the result on {group.changed:,} of {plural(comparison.inputs, 'drawn input')}"
    alike = len(group.patches) - 1
    same = "another patch does the same" if alike == 1 else f"{alike} other patches do the same"
    console.print(Text(f"{text}; {same}" if alike else text))


def _print_choice(console: Console, repair: Repair) -> None:
    """Print inputs on which the patches differ, and how to choose by one."""
    groups = len(repair.comparison.groups)
    if groups > MAX_PATCHES:
        console.print(Text(f"{groups - MAX_PATCHES} more with other results: see --json"))
    deciding = repair.comparison.deciding
    if groups < 2:
        return
    if not deciding:
        console.print(Text("no input was found on which these patches differ; the tests do not choose between them"))
        return
    console.print(Text("the patches differ where the tests do not look:"))
    for item in deciding:
        results = (
            f"patch {at}: {shortened(text, MAX_OUTPUT)}" for at, text in enumerate(item.results[:MAX_PATCHES], 1)
        )
        console.print(Text(f"  {shortened(item.call, MAX_INPUT)}  {'; '.join(results)}"), soft_wrap=True)
    first = deciding[0]
    at = next((at for at, is_returned in enumerate(first.is_returned) if is_returned), None)
    if at is not None and len(first.call) + len(first.results[at]) <= MAX_INPUT:
        wanted = f"{first.call} == {first.results[at]}".replace('"', '\\"')
        console.print(Text(f'to choose patch {at + 1}, add --prefer "{wanted}"'), soft_wrap=True)
