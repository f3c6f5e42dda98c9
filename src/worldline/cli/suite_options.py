"""Which programs of a suite: the options of `bench` that are a suite's own."""

from __future__ import annotations

from typing import Any

import click

from worldline.cli.options import option, whole_numbers, words

OWN = (
    option("--data", metavar="FILE", note="humaneval, crux, repair"),
    option("--language", metavar="NAME", note="humaneval-x, crux-x, generated: js, ts, java, c, cpp, rust"),
    option("--seed", type=int, default=0, note="here of the programs and their order"),
    click.option(
        "--length", metavar="N,...", callback=whole_numbers, help="permutation: lines; horizon: steps."
    ),
    option("--reveal", metavar="N,...", callback=whole_numbers, default_text="1"),
    click.option(
        "--delta", type=click.Choice(["whole", "element"]), help="composition, horizon: how changes show."
    ),
    option("--hidden", type=click.Choice(["predicted", "given", "blind"])),
    click.option("--names", type=click.IntRange(min=2), help="permutation: how many names [5]."),
    click.option(
        "--arbitrary", is_flag=True, default=None, help="permutation: any permutation a line, not swaps."
    ),
    click.option("--pair", is_flag=True, default=None, help="permutation: lines that write two names alone."),
    click.option(
        "--depth", metavar="N,...", callback=whole_numbers, help="composition: functions in a chain."
    ),
    click.option("--kind", type=click.Choice(["string", "other"]), help="composition: only these values."),
    click.option("--lines", is_flag=True, default=None, help="composition: a call a line, not nested calls."),
    click.option(
        "--world", metavar="NAME,...", callback=words, help="horizon, stochastic: only these worlds."
    ),
    click.option("--of", metavar="SUITE", help="states, budget: the programs of this suite [generated]."),
    click.option("--formats", metavar="NAME,...", callback=words, help="budget: only these formats."),
    click.option(
        "--calls", type=click.IntRange(min=0), help="humaneval, humaneval-x: calls of a problem; 0: all [3]."
    ),
    click.option(
        "--functions",
        type=click.IntRange(min=1),
        help="generated: functions in a file, one of them called [1].",
    ),
)


def own(verb: Any) -> Any:
    """The options that are a suite's own."""
    for add in reversed(OWN):
        verb = add(verb)
    return verb
