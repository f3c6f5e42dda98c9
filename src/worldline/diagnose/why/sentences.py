"""A chain in sentences. Page, editor and terminal show the same ones, safe to print."""

from __future__ import annotations

from collections.abc import Iterator

from worldline.core.text import plural, printable, shortened
from worldline.diagnose.why.chain import ChainOperand, WhyChain, WhyLink

MAX_VALUE = 120  # characters of a value in a sentence
NO_VALUE = "no value"
ORIGIN = "origin: right operands, wrong result"
_ENDS = {
    "returned": "is returned",
    "yielded": "is yielded",
    "raised": "raises",
    "printed": "is printed",
    "read": "reads",
}


def chain_sentences(chain: WhyChain) -> Iterator[tuple[str, str, str]]:
    """Yield label, text and style of each sentence: the value, then each link with its operands, then the notes."""
    yield "why", f"{printable(chain.name)}: {both_in_words(chain.wanted, chain.got)}", "bold"
    if not chain.is_wrong:
        yield "", "it is right; this is where it comes from", "dim"
    for link in chain.links:
        yield step_in_words(link), link_in_words(link), "bold red" if link.is_origin else ""
        if link.operands:
            yield "", "from " + "; ".join(map(operand_in_words, link.operands)), "dim"
        if link.note:
            yield "", shortened(link.note, 4 * MAX_VALUE), "dim"
    for note in chain.notes:
        yield "note", printable(note), "yellow"


def link_in_words(link: WhyLink) -> str:
    """Describe a link: where, which operation, and both values."""
    times = f" ({plural(link.times, 'time')})" if link.times > 1 else ""
    origin = f"  ← {ORIGIN}" if link.is_origin else ""
    if link.kind == "path" or (link.wanted is None and link.got is None):
        return f"{place_in_words(link)}: {operation_in_words(link)}{times}{origin}"
    return f"{place_in_words(link)}: {operation_in_words(link)}: {both_in_words(link.wanted, link.got)}{times}{origin}"


def operation_in_words(link: WhyLink) -> str:
    """Describe the operation of a link: the source text, and what it does."""
    return f"`{shortened(link.text, MAX_VALUE)}` {verb_in_words(link)}"


def verb_in_words(link: WhyLink) -> str:
    """Describe what the operation of a link does, without its source text."""
    name = shortened(link.name, MAX_VALUE)
    if link.kind == "input":
        return f"gives the argument {name}"
    if link.kind == "argument":
        return f"is passed as {name}"
    if link.kind == "decided":
        return "decides" if link.operation != "order" else "comes before the wrong line"
    if link.kind == "path":
        return f"sets {name} on another path"
    return _ENDS.get(link.kind, f"sets {name}")


def operand_in_words(operand: ChainOperand) -> str:
    """Describe an operand: `x 4` if it is right, `x 4, predicted 5` if it is wrong."""
    return f"{shortened(operand.text, MAX_VALUE)} {both_in_words(operand.wanted, operand.got)}"


def both_in_words(wanted: str | None, got: str | None) -> str:
    """Describe a true and a predicted value; one of them if they are the same text."""
    values = [NO_VALUE if value is None else shortened(value, MAX_VALUE) for value in (wanted, got)]
    return values[0] if wanted == got else f"{values[0]}, predicted {values[1]}"


def place_in_words(link: WhyLink) -> str:
    """Describe the place of a link: file, line and function; both lines if they differ."""
    file = f"{shortened(link.file, MAX_VALUE)} " if link.file is not None else ""
    line = "?" if link.line is None else str(link.line)
    lines = f"line {line}" if link.true_line is None else f"predicted line {line}, actual line {link.true_line}"
    return f"{file}{lines}" + (
        f" in {shortened(link.function, 60)}" if link.function not in ("", "?", "<module>") else ""
    )


def step_in_words(link: WhyLink) -> str:
    """Describe the step of a link: the predicted one, or the true one if there is no other."""
    return f"step {link.found}" if link.found is not None else f"actual step {link.truth}"
