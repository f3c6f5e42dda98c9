"""One failure of a run as markup: the traces around the first divergence, the cause, and the interventions.

Rows look as in `debug_page`. Texts of a model or a program are escaped and shortened, so that a page with hundreds of
failures stays small.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from worldline.core.language import language_of
from worldline.core.program import Program
from worldline.diagnose.debug import rows
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.diverge import Divergence
from worldline.diagnose.interventions import INTERVENTIONS
from worldline.diagnose.trials import InterventionTrial
from worldline.evaluation.run.record import Record
from worldline.ui.report.debug_page import MAX_VALUE_CHARS, named_values, table_row
from worldline.ui.report.markup import coloured_lines, command, safe, short
from worldline.ui.session.side_by_side import CellPiece, ComparedRow, compared_rows

MAX_ROWS = 12  # around the divergence
MAX_PIECES = 10  # values in one cell
MAX_SENTENCE_CHARS = 480
MAX_SOURCE_CHARS = 4_000
_HEADS = "<tr><th>step<th>line<th>source<th>actual<th>predicted<th></tr>"


def failure(record: Record, tried: Sequence[InterventionTrial] = ()) -> str:
    """Return one failure as folded markup."""
    diagnosis = Diagnosis(record.sample())
    verdict, program = record.verdict(), record.ask.program
    title = f"<b>{safe(record.name or str(record.at))}</b> {safe(short(command(program), MAX_VALUE_CHARS))}"
    agreed = f"{verdict.agreed:,} of {verdict.steps:,} steps right, then {safe(verdict.cause)}"
    facts = "".join(f"<dt>{name}</dt><dd>{safe(text)}</dd>" for name, text in _facts(record, diagnosis))
    facts += "".join(_interventions(tried))
    return (
        f'<details class="failure" id="failure-{record.at}"><summary>{title} <small>{agreed}</small></summary>'
        f"<dl>{facts}</dl>{_table(record, diagnosis)}{source_markup(program)}</details>"
    )


# ---- facts


def _facts(record: Record, diagnosis: Diagnosis) -> Iterator[tuple[str, str]]:
    verdict, cause = record.verdict(), diagnosis.cause
    yield "outcome", f"answer {verdict.answer}, trace {verdict.trace}"
    detail = f": {short(cause.detail, MAX_VALUE_CHARS)}" if cause.detail and cause.name == verdict.cause else ""
    yield "cause", verdict.cause + detail + (f"; before the cut: {cause.under}" if cause.under else "")
    about = [part for part in (cause.blamed, cause.type) if part]
    if about:
        yield "about", ", ".join(about)
    evidence = verdict.note or cause.evidence
    if evidence:
        yield "evidence", short(evidence, MAX_SENTENCE_CHARS)
    first = cause.divergence or diagnosis.first
    if first is not None:
        yield "first divergence", _divergence(first, len(diagnosis.divergences))
    for name, reading in (("actual end", diagnosis.truth), ("predicted end", diagnosis.found)):
        end = " ".join(reading.answer) if reading.answer is not None else "not reached"
        yield name, short(end, MAX_SENTENCE_CHARS)
    if diagnosis.found.malformed is not None:
        fault = diagnosis.found.malformed
        yield "malformed", f"from byte {fault.offset:,} on: expected {short(fault.expected, MAX_VALUE_CHARS)}"
    if record.found.note:
        yield "note", short(record.found.note, MAX_SENTENCE_CHARS)


_KINDS = {
    "event": "wrong event",
    "line": "wrong line",
    "names": "wrong names change",
    "value": "wrong value",
    "output": "wrong output",
    "outcome": "wrong end",
    "missing": "steps are missing",
    "extra": "too many steps",
}


def _divergence(first: Divergence, count: int) -> str:
    line = f", line {first.line}" if first.line is not None else ""
    name = f", {first.name}" if first.name else ""
    none = "no change" if first.what == "names" else "nothing"
    actual, predicted = (
        none if value is None else short(value, MAX_VALUE_CHARS) for value in (first.wanted, first.got)
    )
    place = ""
    if first.part is not None and (first.part.path or first.part.at is not None):
        at = f"character {first.part.at}" if first.part.at is not None else ""
        place = f", first at {' '.join(part for part in (short(first.part.path, MAX_VALUE_CHARS), at) if part)}"
    later = f"; {count - 1:,} more later" if count > 1 else ""
    kind = _KINDS.get(first.what, first.what)
    return f"step {first.step:,}{line}, {kind}{name}: actual {actual}, predicted {predicted}{place}{later}"


_OUTCOMES = {
    "recovered": "fixed",
    "unfit": "does not apply",
    "untried": "not tried",
    "right": "still right",
    "wrong": "still wrong",
}


def _interventions(tried: Sequence[InterventionTrial]) -> Iterator[str]:
    for trial in tried:
        outcome = safe(_OUTCOMES.get(trial.outcome, trial.outcome))
        style = " class=flip" if trial.outcome == "recovered" else ""
        reason = safe(short(trial.why or INTERVENTIONS.get(trial.intervention, ""), MAX_VALUE_CHARS))
        name = safe(short(trial.intervention, 20))
        yield f"<dt>intervention {name}</dt><dd><span{style}>{outcome}</span>: {reason}</dd>"


# ---- both traces


def _table(record: Record, diagnosis: Diagnosis) -> str:
    program = record.ask.program
    first = diagnosis.first
    sources = {**dict(program.files), program.name: program.source}
    lines = {name: coloured_lines(text, language_of(name), MAX_VALUE_CHARS) for name, text in sources.items()}
    events = diagnosis.truth.events, diagnosis.found.events
    shown = list(compared_rows(program, tuple(rows(diagnosis)), *events, first, (), MAX_ROWS, MAX_VALUE_CHARS))
    body = "".join(table_row(_shorten_row(row), lines.get(row.file or program.name, [])) for row in shown)
    return (
        f'<div class="wide"><table class="beside"><thead>{_HEADS}</thead><tbody>{body}</tbody></table>'
        f"{named_values(shown, program)}</div>"
    )


def _shorten_row(row: ComparedRow) -> ComparedRow:
    return replace(row, wanted=shorten_cell(row.wanted), got=shorten_cell(row.got))


def shorten_cell(cell: tuple[CellPiece, ...] | None) -> tuple[CellPiece, ...] | None:
    """Shorten a cell to few pieces; those that differ come first."""
    if cell is None or len(cell) <= MAX_PIECES:
        return cell
    pieces = sorted(cell, key=lambda piece: not piece.differs)[:MAX_PIECES]
    return (*pieces, CellPiece(f"… {len(cell) - MAX_PIECES:,} more", "more"))


def source_markup(program: Program) -> str:
    """Return the source of a program, folded."""
    source = program.source
    note = f"… ({len(source):,} characters)" if len(source) > MAX_SOURCE_CHARS else ""
    lines = "\n".join(coloured_lines(source[:MAX_SOURCE_CHARS], program.language))
    return f"<details><summary>program</summary><pre>{lines}{note}</pre></details>"
