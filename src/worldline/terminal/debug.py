"""What a model imagines beside what happens, in a terminal: the first divergence in colour, later ones dimmer.

Below it what the model believed there, how sure it was, the cause with its evidence, and what each cure did. A page of
the same is `debug_page`. Prints nothing that is not escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.text import Text

from worldline.core.escape import printable
from worldline.core.program import Program
from worldline.diagnose.cures import CURES
from worldline.diagnose.debug import Belief, Debugged, Imagined
from worldline.diagnose.diverge import Divergence
from worldline.diagnose.reading import Reading
from worldline.diagnose.trials import Tried
from worldline.explore.side_by_side import Piece, Shown, alone, beside
from worldline.predict.predictor import Prediction
from worldline.terminal.source import Sources

WINDOW = 36  # rows around the divergence, unless all are asked for
INDENTED = 8  # deeper frames are drawn at this depth
LONG = 160  # characters of a value in a sentence
_STYLES = {"event": "cyan", "place": "yellow", "value": ""}
_MARKS = {"same": ("  ", ""), "first": ("▶ ", "bold red"), "later": ("· ", "red dim")}


def print_debugged(console: Console, found: Debugged, *, rows: int = WINDOW) -> None:
    """Both runs side by side, then why they part; `rows` at most, 0 for all."""
    case, sample = found.case, found.sample
    first = case.divergences[0] if case.divergences else None
    shown = list(beside(found.rows, case.truth.moments, case.found.moments, first, found.sure, rows))
    _print(console, _heading(sample.ask.program, found.model))
    _print_rows(console, sample.ask.program, shown, ("what happens", "what the model imagines"))
    for name, text, style in sentences(found):
        _tell(console, name, text, style)


def print_imagined(console: Console, found: Imagined, *, rows: int = 200) -> None:
    """The prediction alone."""
    _print(console, _heading(found.ask.program, found.model))
    shown = list(alone(found.reading.moments, found.sure, rows))
    _print_rows(console, found.ask.program, shown, ("what the model imagines",))
    for name, text, style in ending(found.found, found.reading):
        _tell(console, name, text, style)


# ---- sentences, which the page shows too: a name, a text, a style


def sentences(found: Debugged) -> Iterator[tuple[str, str, str]]:
    """What is to be said below the rows."""
    case, why = found.case, found.cause
    if not found.diverges:
        far = "the whole trace" if case.truth.ended else "as far as the run was recorded"
        yield "right", f"{far}, {case.truth.steps:,} steps, in {found.seconds['model']:.1f} s", "bold green"
        return
    if case.divergences:
        more = len(case.divergences) - 1
        rest = f"; {more:,} more after it" if more else ""
        yield "diverges", f"at step {_place(case.divergences[0])}{rest}", "bold red"
    about = ", ".join(filter(None, (why.detail, why.operation, why.type)))
    name = why.name + (f" ({about})" if about else "")
    yield "cause", printable(f"{name}: {why.evidence}" if why.evidence else name), "bold"
    if why.under:
        yield "", printable(f"before the cut: {why.under}"), ""
    if found.belief is not None:
        yield "belief", _believed(found.belief), ""
    yield "answer", _answered(found), ""
    if found.tried:
        yield from cured(found.tried)
        yield _verdict(found)


def _verdict(found: Debugged) -> tuple[str, str, str]:
    name = printable(found.cause.name)
    if found.is_confirmed is None:
        return "verdict", f"{name}: not tested, none of its cures was tried", "yellow"
    if found.is_confirmed:
        return "verdict", f"{name}: confirmed, its cure makes it right", "bold green"
    return "verdict", f"{name}: not confirmed, its cures leave it wrong", "yellow"


def ending(found: Prediction, reading: Reading) -> Iterator[tuple[str, str, str]]:
    """How a prediction ends."""
    if reading.malformed is not None:
        text = f"at byte {reading.malformed.offset:,}: expected {reading.malformed.expected}"
        yield "malformed", printable(text), "bold red"
    if reading.answer is not None:
        yield "answer", printable(" ".join(reading.answer)[:LONG]), "bold"
    rate = f" in {found.seconds:.1f} s" if found.seconds else ""
    yield "model", f"{found.status}, {len(found.text):,} bytes, {reading.steps:,} steps{rate}", "dim"


def cured(tried: Iterable[Tried]) -> Iterator[tuple[str, str, str]]:
    """What came of each cure; those that were not tried, or do not apply, together at the end."""
    words = {"recovered": ("comes right", "green"), "fault": ("the tool failed", "yellow")}
    head, apart = "cures", list[str]()
    for one in tried:
        if one.outcome in ("unfit", "untried"):
            apart.append(f"{one.cure} ({one.why})")
            continue
        word, style = words.get(one.outcome, ("stays wrong", ""))
        why = f" ({one.why})" if one.why else ""
        yield head, printable(f"{one.cure:<8} {word}{why}: {CURES[one.cure]}"), style
        head = ""
    if apart:
        yield head, printable("not tried: " + "; ".join(apart)), "dim"


def _place(one: Divergence) -> str:
    where = f"{one.step}, line {one.line}" if one.line is not None else f"{one.step}"
    wanted, got = _value(one.wanted), _value(one.got)
    if one.what == "missing":
        return f"{where}: {wanted} is missing"
    if one.what == "extra":
        return f"{where}: {got} does not happen"
    name = f"{printable(one.name)} is " if one.name is not None else ""
    part = ""
    if one.part is not None and (one.part.path or one.part.at is not None):
        at = f" at character {one.part.at}" if one.part.at is not None else ""
        sides = f"{_value(one.part.wanted)}, not {_value(one.part.got)}"
        part = f"; they part in {printable(one.part.path) or 'it'}{at}: {sides}"
    return f"{where}: {name}{wanted}, not {got}{part}"


def _value(text: str | None) -> str:
    if text is None:
        return "nothing"
    return printable(text[:LONG]) + ("..." if len(text) > LONG else "")


def _believed(belief: Belief) -> str:
    def odds(of: float | None) -> str:
        return "" if of is None else f", probability {percent(of)}"

    wrote, wanted = (_value(text.removesuffix("\n")) for text in (belief.wrote, belief.wanted))
    return f"it wrote `{wrote}`{odds(belief.sure)}; the truth is `{wanted}`{odds(belief.truth)}"


def percent(rate: float) -> str:
    """A probability as a person reads it, however small."""
    if rate >= 0.0995 or rate == 0.0:
        return f"{100 * rate:.0f} %"
    return f"{100 * rate:.1f} %" if rate >= 0.001 else f"{100 * rate:.1g} %"


def _answered(found: Debugged) -> str:
    case = found.case
    wanted, got = (
        _value(" ".join(each) if each else None) for each in (case.truth.answer, case.found.answer)
    )
    if case.answer:
        return f"right all the same: {wanted}"
    if wanted == got and case.truth.printed != case.found.printed:
        return f"{got}, which is true, but other output"
    return f"{got}; the truth is {wanted}"


# ---- rows


def _heading(program: Program, model: str) -> Text:
    what = program.call if program.call is not None else " ".join([program.name, *program.argv])
    return Text.assemble((printable(what), "bold"), (printable(f"  {model}"), "dim"))


def _print_rows(console: Console, program: Program, shown: list[Shown], heads: tuple[str, ...]) -> None:
    sources = Sources(program)
    codes = {id(row): _code(sources, program, row) for row in shown if row.kind != "gap"}
    numbers = max([4, *(len(str(row.step)) for row in shown)])
    rest = max(console.width - numbers - 6 - 4 - 5 - 3 * len(heads), 12 * (len(heads) + 1))
    longest = max((code.cell_len for code in codes.values()), default=8)
    code_width = min(max(longest, 8), rest // (len(heads) + 1))
    cell = (rest - code_width) // len(heads)
    head = Text(" " * (numbers + 8 + code_width), style="dim")
    for title in heads:
        head.append(" │ ").append(f"{title:<{cell}}"[:cell])
    _print(console, head)
    for row in shown:
        if row.kind == "gap":
            _print(
                console,
                Text(f"  ... {row.skipped:,} rows are not shown; --rows 0 shows all", style="dim italic"),
            )
            continue
        code = codes[id(row)]
        code.truncate(code_width, overflow="ellipsis", pad=True)
        _print(console, _row(row, code, numbers, cell, len(heads)))


def _code(sources: Sources, program: Program, row: Shown) -> Text:
    line = sources.line(row.file or program.name, row.line or 0)
    return Text().append("│ " * min(row.depth, INDENTED), style="dim").append_text(line)


def _row(row: Shown, code: Text, numbers: int, cell: int, sides: int) -> Text:
    mark, style = _MARKS[row.kind]
    number = "" if row.step is None else str(row.step)
    line = "" if row.line is None else str(row.line)
    text = Text.assemble((mark, style), (f"{number:>{numbers}} ", "dim"), (f"{line:>4} ", "yellow"))
    text.append_text(code)
    for pieces, colour in ((row.wanted, "bold green"), (row.got, "bold red"))[:sides]:
        text.append(" │ ", style="dim").append_text(_cell(pieces, colour, cell, row.kind))
    if row.sure is not None:
        text.append(f" {percent(row.sure):>6}", style="dim" if row.sure >= 0.9 else "yellow")
    return text


def _cell(pieces: tuple[Piece, ...] | None, colour: str, width: int, kind: str) -> Text:
    if pieces is None:
        found = Text("-", style="dim")
    else:
        found = Text("  ").join(
            Text(piece.text, style=_differs(colour, kind) if piece.differs else _STYLES[piece.kind])
            for piece in pieces
        )
    found.truncate(width, overflow="ellipsis", pad=True)
    return found


def _differs(colour: str, kind: str) -> str:
    return colour if kind == "first" else colour.replace("bold", "dim")


def _tell(console: Console, name: str, text: str, style: str) -> None:
    _print(console, Text.assemble((f"{name:<10}", "dim"), (text, style)), wrap=True)


def _print(console: Console, text: Text, *, wrap: bool = False) -> None:
    """Rich would colour and wrap by its own lights: neither is wanted."""
    text.no_wrap = not wrap
    console.print(text, highlight=False, markup=False, emoji=False, overflow="fold" if wrap else "crop")
