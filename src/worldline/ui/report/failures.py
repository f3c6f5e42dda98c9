"""One failure of a run as markup: both traces side by side where they part, the cause, its evidence, what interventions did.

The rows and their look are those of `debug_page`. Everything a model or a program wrote is escaped and bounded: a page
of hundreds of failures stays light, and says where it cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape

from worldline.core.language import language_of
from worldline.core.program import Program
from worldline.core.text import printable
from worldline.diagnose.debug import rows
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.diverge import Divergence
from worldline.diagnose.interventions import INTERVENTIONS
from worldline.diagnose.trials import InterventionTrial
from worldline.evaluation.run.record import Record
from worldline.ui.report.debug_page import named_values, table_row
from worldline.ui.report.source import coloured_lines
from worldline.ui.session.side_by_side import CellPiece, ComparedRow, compared_rows

ROWS = 12  # around the divergence
VALUE = 160  # characters of a value in a row
PIECES = 10  # values in one cell
SENTENCE = 480  # characters of evidence
SOURCE = 4_000  # characters of a program
_HEADS = "<tr><th>step<th>line<th>source<th>what happens<th>what the model says<th></tr>"


def failure(record: Record, tried: Sequence[InterventionTrial] = ()) -> str:
    """The whole of one failure, folded."""
    diagnosis = Diagnosis(record.sample())
    verdict = record.verdict()
    title = f"<b>{safe(record.name or str(record.at))}</b> {safe(short(asked(record.ask.program), VALUE))}"
    told = f"{verdict.agreed:,} of {verdict.steps:,} steps right, then {safe(verdict.cause)}"
    facts = "".join(f"<dt>{name}</dt><dd>{safe(text)}</dd>" for name, text in _facts(record, diagnosis))
    facts += "".join(_interventions(tried))
    return (
        f'<details class="failure" id="failure-{record.at}"><summary>{title} <small>{told}</small></summary>'
        f"<dl>{facts}</dl>{_table(record, diagnosis)}{_source(record.ask.program)}</details>"
    )


def safe(text: str) -> str:
    """One line of any text, for markup."""
    return escape(printable(text))


def short(text: str, most: int) -> str:
    """The beginning of a text, and how long it is where that is not all."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


def asked(program: Program) -> str:
    """What is run: the call, or the script with its arguments."""
    return program.call if program.call is not None else " ".join([program.name, *program.argv])


# ---- what is said


def _facts(record: Record, diagnosis: Diagnosis) -> Iterator[tuple[str, str]]:
    verdict, why = record.verdict(), diagnosis.cause
    yield "outcome", f"answer {verdict.answer}, trace {verdict.trace}"
    detail = f": {short(why.detail, VALUE)}" if why.detail and why.name == verdict.cause else ""
    yield "cause", verdict.cause + detail + (f", under it {why.under}" if why.under else "")
    about = [part for part in (why.operation, why.type) if part]
    if about:
        yield "about", ", ".join(about)
    evidence = verdict.note or why.evidence
    if evidence:
        yield "evidence", short(evidence, SENTENCE)
    first = why.divergence or diagnosis.first
    if first is not None:
        yield "parts", _parting(first, len(diagnosis.divergences))
    for name, reading in (("true end", diagnosis.truth), ("model's end", diagnosis.found)):
        ends = " ".join(reading.answer) if reading.answer is not None else "not reached"
        yield name, short(ends, SENTENCE)
    if diagnosis.found.malformed is not None:
        fault = diagnosis.found.malformed
        yield "unread", f"from {fault.offset:,} on: {short(fault.expected, VALUE)} was expected"
    if record.found.note:
        yield "note", short(record.found.note, SENTENCE)


_WHATS = {
    "event": "another event", "line": "another line", "names": "other names change", "value": "another value",
    "output": "another output", "outcome": "another end", "missing": "steps are missing", "extra": "steps too many",
}  # fmt: skip


def _parting(first: Divergence, count: int) -> str:
    line = f", line {first.line}" if first.line is not None else ""
    name = f", {first.name}" if first.name else ""
    none = "no change" if first.what == "names" else "nothing"
    wanted, got = (none if side is None else short(side, VALUE) for side in (first.wanted, first.got))
    place = ""
    if first.part is not None and (first.part.path or first.part.at is not None):
        at = f"character {first.part.at}" if first.part.at is not None else ""
        place = f", first at {' '.join(part for part in (short(first.part.path, VALUE), at) if part)}"
    later = f"; {count - 1:,} more later" if count > 1 else ""
    what = _WHATS.get(first.what, first.what)
    return f"step {first.step:,}{line}, {what}{name}: {wanted} in truth, {got} predicted{place}{later}"


_OUTCOMES = {
    "unfit": "does not apply",
    "untried": "not tried",
    "right": "still right",
    "wrong": "still wrong",
}


def _interventions(tried: Sequence[InterventionTrial]) -> Iterator[str]:
    """What each intervention did, as terms with their facts."""
    for one in tried:
        told = safe(_OUTCOMES.get(one.outcome, one.outcome))
        known = " class=flip" if one.outcome == "recovered" else ""
        why = safe(short(one.why or INTERVENTIONS.get(one.intervention, ""), VALUE))
        yield f"<dt>intervention {safe(short(one.intervention, 20))}</dt><dd><span{known}>{told}</span>: {why}</dd>"


# ---- both traces


def _table(record: Record, diagnosis: Diagnosis) -> str:
    program = record.ask.program
    first = diagnosis.first
    sources = {**dict(program.files), program.name: program.source}
    lines = {name: coloured_lines(text, language_of(name), VALUE) for name, text in sources.items()}
    events = diagnosis.truth.events, diagnosis.found.events
    shown = list(compared_rows(tuple(rows(diagnosis)), *events, first, (), ROWS))
    body = "".join(table_row(_bounded(row), lines.get(row.file or program.name, [])) for row in shown)
    return (
        f'<div class="wide"><table class="beside"><thead>{_HEADS}</thead><tbody>{body}</tbody></table>'
        f"{named_values(shown, program)}</div>"
    )


def _bounded(row: ComparedRow) -> ComparedRow:
    return replace(row, wanted=bounded(row.wanted, row.got), got=bounded(row.got, row.wanted))


def bounded(
    cell: tuple[CellPiece, ...] | None, other: tuple[CellPiece, ...] | None
) -> tuple[CellPiece, ...] | None:
    """A cell with few and short pieces: what differs is kept, from shortly before where it does."""
    if cell is None:
        return None
    kept = sorted(cell, key=lambda piece: not piece.differs)[:PIECES] if len(cell) > PIECES else cell
    beside = {_head(piece.text): piece.text for piece in other or ()}
    found = [replace(piece, text=_around(piece.text, beside.get(_head(piece.text)))) for piece in kept]
    if len(cell) > PIECES:
        found.append(CellPiece(f"… {len(cell) - PIECES:,} more", "more"))
    return tuple(found)


def _head(text: str) -> str:
    """A name with its sign, or an event: what a piece is about."""
    name, sign, _ = text.partition("=")
    return name + sign if sign else text.partition(" ")[0]


def _around(text: str, other: str | None) -> str:
    """A long text from shortly before where it parts from the other on."""
    if len(text) <= VALUE:
        return text
    pairs = zip(text, other or "", strict=False)
    parts = next((i for i, (one, two) in enumerate(pairs) if one != two), min(len(text), len(other or "")))
    head = _head(text)[:VALUE]
    start = parts - VALUE // 3
    if other is None or other == text or start <= len(head):
        return text[:VALUE] + "…"
    return f"{head}…{text[start : start + VALUE]}" + ("…" if start + VALUE < len(text) else "")


def _source(program: Program) -> str:
    text, more = program.source[:SOURCE], len(program.source) - SOURCE
    shown = "\n".join(coloured_lines(text, program.language)) + (
        f"… ({len(program.source):,} characters)" if more > 0 else ""
    )
    return f"<details><summary>program</summary><pre>{shown}</pre></details>"
