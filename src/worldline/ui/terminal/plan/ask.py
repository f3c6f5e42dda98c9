"""An oracle's answer in a terminal: what is so, whether it was run or imagined, how sure that is, and what it took."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from worldline.core.program import Program
from worldline.core.text import plural, printable
from worldline.plan.answer import IMAGINED, MIXED, RUN, Answer, ExecutionCost
from worldline.plan.question import Question

_COLOURS = {RUN: "green", IMAGINED: "yellow", MIXED: "yellow"}


def print_answer(console: Console, program: Program, question: Question, answer: Answer) -> None:
    """The question, the answer, how it came about, and its price."""
    what = program.call if program.call is not None else " ".join([program.name, *program.argv])
    heading = Text.assemble((printable(what), "bold"), (f"  {question}", "dim"))
    console.print(heading, soft_wrap=True)
    value = "unknown" if answer.value is None else printable(answer.value)
    console.print(Text(value, style=_COLOURS.get(answer.how, "red")), soft_wrap=True)
    why = answer.why[:1].upper() + answer.why[1:] if answer.how == RUN else f"{_how(answer)}: {answer.why}"
    console.print(Text(printable(why), style="dim"), soft_wrap=True)
    console.print(Text(f"took {spent_words(answer.spent)}", style="dim"), soft_wrap=True)


def _how(answer: Answer) -> str:
    """In which way it is known, and how sure that is."""
    if answer.how == RUN or answer.probability is None:
        return answer.how
    return f"{answer.how}, at least {100 * answer.probability:.1f} % sure"


def spent_words(spent: ExecutionCost) -> str:
    """A price in words."""
    counts = ((spent.executions, "execution"), (spent.steps, "true step"), (spent.bytes, "imagined byte"))
    return ", ".join(plural(n, what) for n, what in counts if n) or "nothing"
