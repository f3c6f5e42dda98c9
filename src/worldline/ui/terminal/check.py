"""The result of `check` in a terminal: the server, one block per way of asking, the command to use."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from worldline.core.text import plural, printable
from worldline.evaluation.check.result import ModelCheck, TriedWay
from worldline.predict.servers.probe import ServerProbe
from worldline.ui.terminal.plain import plain_table

MAX_MODELS = 12  # that are listed
_INDENT = "    "


def print_check(console: Console, check: ModelCheck) -> None:
    """Print the result of a check."""
    console.print(Text(printable(check.model), style="bold"), soft_wrap=True)
    if check.server is not None:
        _print_server(console, check.server)
    table = plain_table("options", "readable", "right", "traces right", "way of asking", texts=("way of asking",))
    for way in check.ways:
        style = "" if way.readable else "dim"
        table.add_row(Text(_options(way), style=style), *_counts(way), Text(way.title, style=style))
    console.print(table)
    for way in check.ways:
        if way.asked:
            _print_example(console, way)
    for reason, ways in _untried(check).items():
        console.print(Text(f"not asked with {', '.join(map(_options, ways))}"), soft_wrap=True)
        _print_field(console, "why", reason)
    _print_conclusion(console, check)


def _untried(check: ModelCheck) -> dict[str, list[TriedWay]]:
    """The ways in which nothing was asked, by the reason."""
    ways: dict[str, list[TriedWay]] = {}
    for way in check.ways:
        if not way.asked:
            ways.setdefault(way.reason, []).append(way)
    return ways


def _print_server(console: Console, server: ServerProbe) -> None:
    models = server.models
    if models is None:
        listed = "the server does not list its models"
    else:
        more = len(models) - MAX_MODELS
        listed = ", ".join(map(printable, models[:MAX_MODELS])) + (f" and {more:,} others" if more > 0 else "")
    console.print(Text(f"{'models':<18}{listed or 'none'}", style="dim"), soft_wrap=True)
    for path, endpoint in server.endpoints.items():
        if endpoint.problem:
            state = f"{'refuses a short question' if endpoint.is_usable else 'no'}: {endpoint.problem}"
        elif endpoint.refuses_logprobs:
            state = "yes, but it refuses log-probabilities (-M logprobs=false)"
        else:
            state = "yes, with log-probabilities" if endpoint.has_logprobs else "yes"
        console.print(Text(printable(f"{path.removeprefix('/'):<18}{state}"), style="dim"), soft_wrap=True)


def _options(way: TriedWay) -> str:
    return printable(" ".join(f"-M {key}={value}" for key, value in way.options.items())) or "none"


def _counts(way: TriedWay) -> tuple[str, str, str]:
    if not way.asked:
        return "-", "-", "-"
    return f"{way.readable} of {way.asked}", _count(way.right, way.asked), _count(way.right_traces, way.asked)


def _count(number: int | None, total: int) -> str:
    return "-" if number is None else f"{number} of {total}"


def _print_example(console: Console, way: TriedWay) -> None:
    """Print one answer, and why it could not be read."""
    console.print(Text(_options(way)), soft_wrap=True)
    if way.example:
        _print_field(console, "came back", way.example)
    if way.reason:
        _print_field(console, "why not", way.reason)


def _print_field(console: Console, label: str, text: str) -> None:
    console.print(Text(f"{_INDENT}{label:<11}", style="dim") + Text(printable(text)), soft_wrap=True)


def _print_conclusion(console: Console, check: ModelCheck) -> None:
    best = check.best
    if best is None:
        console.print(Text(f"No answer can be read. {check.advice}", style="red"), soft_wrap=True)
        return
    right = "" if best.right is None else f", {best.right} right"
    options = _options(best) if best.options else "no option"
    counts = f"{best.readable} of {plural(best.asked, 'answer')} readable{right}"
    console.print(Text(f"Use {options} ({best.title}): {counts}.", style="green"), soft_wrap=True)
    if check.command:
        console.print(Text(f"{_INDENT}{printable(check.command)}"), soft_wrap=True)
