"""The explanation of a failing test in sentences. Terminal, page and stepper show the same ones.

A sentence is a label, a text that is safe to print, and a style.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from worldline.core.repository.recorded_test import FAILING_OUTCOMES, failure_line
from worldline.core.text import plural, printable
from worldline.core.text import shortened as one_line
from worldline.diagnose.failure.explanation import AssertedValue, FailureExplanation, OpenCall, SourcePlace, ValueLink
from worldline.diagnose.failure.value_keys import keys_of, part_of

MAX_VALUE = 160  # characters of a value in a sentence
MAX_ARGUMENT = 40


def failure_sentences(explanation: FailureExplanation) -> Iterator[tuple[str, str, str]]:
    """Yield label, text and style of each sentence about a failing test, with the history of its values."""
    yield from head_sentences(explanation)
    for value in explanation.values:
        yield "value", value_in_words(value), "bold"
        for link in value.links:
            mark = "  ← wrote it" if link is value.writer else ""
            yield f"  step {link.place.step}", f"{place_in_words(link.place)}  {link_in_words(link)}{mark}", ""
        for note in value.notes:
            yield "", printable(f"not known: {note}"), "dim"
    yield from tail_sentences(explanation)


def head_sentences(explanation: FailureExplanation) -> Iterator[tuple[str, str, str]]:
    """Yield the sentences before the values: the exception, where it was raised, the statement."""
    if explanation.exception:
        yield explanation.outcome, shortened(explanation.exception, 2 * MAX_VALUE), "bold red"
    elif explanation.outcome in FAILING_OUTCOMES and (reason := failure_line(explanation.message)):
        yield explanation.outcome, shortened(reason, 2 * MAX_VALUE), "bold red"
    raised, line = explanation.raised, explanation.test_line
    if raised is not None:
        yield "raised", f"{place_in_words(raised)}, step {raised.step}", ""
    if line is not None and raised is not None and line.step != raised.step:
        yield "test line", f"{place_in_words(line)}  {printable(line.source)}", ""
    if explanation.statement:
        yield "statement", shortened(explanation.statement, 2 * MAX_VALUE), ""
    if explanation.path:
        yield "differ at", shortened(explanation.path), ""
    writer = explanation.writer
    if writer is not None:
        place = writer.place
        yield "written by", f"{place_in_words(place)}, step {place.step}: {shortened(place.source)}", "bold"


def tail_sentences(explanation: FailureExplanation) -> Iterator[tuple[str, str, str]]:
    """Yield the sentences after the values: the open calls, and what is not known."""
    label = "call chain"
    for call in explanation.calls:
        yield label, call_in_words(call), ""
        label = ""
    for note in explanation.notes:
        yield "note", printable(note), "yellow"


def failure_json(explanation: FailureExplanation) -> dict[str, Any]:
    """Return an explanation as JSON, each link with its sentence (`words`)."""
    described = explanation.as_json()
    for value, value_json in zip(explanation.values, described["values"], strict=True):
        for link, link_json in zip(value.links, value_json["links"], strict=True):
            link_json["words"] = link_in_words(link)
    return described


def value_in_words(value: AssertedValue) -> str:
    """Say what an expression was worth."""
    if value.is_literal:
        return f"{shortened(value.text)} is written in the test"
    shown = "not known" if value.value is None else shortened(value.value)
    return f"{shortened(value.text)} is {shown}"


def link_in_words(link: ValueLink) -> str:
    """Say what a step did to a value: `gross: 8 → 12`, `total() returned 12`."""
    keys = keys_of(link.part) if link.worth is not None else ()
    before, after = part_of(link.before, keys), shortened(part_of(link.after, keys) or "?")
    has_part = bool(keys) and link.kind in ("written", "passed")
    name = shortened(link.name + link.part if has_part else link.name, 80)
    if link.kind == "written":
        text = f"{name} = {after}" if before is None else f"{name}: {shortened(before)} → {after}"
    elif link.kind == "passed":
        text = f"passed as {name} = {after}"
    elif link.kind == "decided":
        text = f"{name} is {after.lower()}"
    else:
        verb = {"returned": "returned", "yielded": "yielded", "fixture": "gave"}[link.kind]
        where = f" at {shortened(link.part, 80)}" if keys else ""
        text = f"{'fixture ' if link.kind == 'fixture' else ''}{name}() {verb} {after}{where}"
    extras = [printable(link.note)] if link.note else []
    extras += [f"{plural(link.times, 'time')}"] if link.times > 1 else []
    return f"{text} ({'; '.join(extras)})" if extras else text


def call_in_words(call: OpenCall) -> str:
    """Say where an open call was, and with which arguments it started."""
    arguments = ", ".join(f"{name}={shortened(text, MAX_ARGUMENT)}" for name, text in call.arguments)
    return f"{place_in_words(call.place)}({printable(arguments)})"


def place_in_words(place: SourcePlace) -> str:
    """Say where a step is: `shop.py:12 in Shelf.total`."""
    return printable(f"{place.file}:{place.line} in {place.function}")


def shortened(text: str, limit: int = MAX_VALUE) -> str:
    """Return a value as one printable line of bounded length."""
    return one_line(text, limit)
