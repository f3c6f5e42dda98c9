"""The samples that flipped between two runs: what is right, why the other is wrong, and both traces side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from worldline.core.fault import RowFault, call_or_fault
from worldline.core.language import language_of
from worldline.core.program import Program
from worldline.diagnose.debug import rows
from worldline.diagnose.diagnosis import Diagnosis
from worldline.evaluation.run.record import Record
from worldline.ui.report.comparison.data import ComparedRun, ComparedRuns
from worldline.ui.report.data import current
from worldline.ui.report.debug_page import MAX_VALUE_CHARS, cell_markup, named_values
from worldline.ui.report.failures import MAX_ROWS, MAX_SENTENCE_CHARS, shorten_cell, source_markup
from worldline.ui.report.markup import coloured_lines, command, safe, short
from worldline.ui.session import look
from worldline.ui.session.side_by_side import CellPiece, ComparedRow, compared_rows, window


@dataclass(frozen=True)
class ShownFlip:
    """A flip to show: the run that is compared with the baseline, and the place of the sample in both runs."""

    run: int
    places: tuple[int, int]


def choose_flips(compared: ComparedRuns, limit: int) -> list[ShownFlip]:
    """Choose at most `limit` flips, spread evenly over the runs."""
    waiting = [
        [ShownFlip(number, (a.at, b.at)) for a, b in compared.flips(run)]
        for number, run in enumerate(compared.others, 1)
    ]
    chosen: list[ShownFlip] = []
    while any(waiting) and len(chosen) < limit:
        for flips in waiting:
            if flips and len(chosen) < limit:
                chosen.append(flips.pop(0))
    return sorted(chosen, key=lambda flip: flip.run)


def flip_cards(compared: ComparedRuns, chosen: Sequence[ShownFlip]) -> tuple[dict[int, list[str]], int]:
    """Render flips as folded markup.

    Returns:
        The cards by the number of the run, and how many flips could not be shown.
    """
    wanted = [set[int]() for _ in compared.runs]
    for flip in chosen:
        wanted[0].add(flip.places[0])
        wanted[flip.run].add(flip.places[1])
    records = [
        {record.at: record for record in current(run.path) if record.at in places} if places else {}
        for run, places in zip(compared.runs, wanted, strict=True)
    ]
    cards, faults = dict[int, list[str]](), 0
    for flip in chosen:
        pair = records[0][flip.places[0]], records[flip.run][flip.places[1]]
        card = call_or_fault(_card, flip, pair, (compared.baseline, compared.runs[flip.run]))
        if isinstance(card, RowFault):
            faults += 1
            card = f"<p>sample {flip.places[0]:,} cannot be shown: {safe(card.note)}</p>"
        cards.setdefault(flip.run, []).append(card)
    return cards, faults


def _card(flip: ShownFlip, records: tuple[Record, Record], runs: tuple[ComparedRun, ComparedRun]) -> str:
    program = records[0].ask.program
    verdicts = [record.verdict() for record in records]
    wrong = 1 if verdicts[0].answer == "right" else 0
    labels = [short(run.label, 60) for run in runs]
    title = f"<b>{safe(records[0].name or str(records[0].at))}</b> {safe(short(command(program), MAX_VALUE_CHARS))}"
    outcome = f"{labels[1 - wrong]} right; {labels[wrong]}: {verdicts[wrong].cause or verdicts[wrong].answer}"
    diagnoses = [Diagnosis(record.sample()) for record in records]
    facts = "".join(
        f"<dt>{safe(labels[number])}</dt><dd>{safe(sentence)}</dd>"
        for number in (1 - wrong, wrong)
        for sentence in [_fact(records[number], diagnoses[number])]
    )
    return (
        f'<details class="failure" id="flip-{flip.run}-{flip.places[0]}"><summary>{title} '
        f"<small>{safe(outcome)}</small></summary><dl>{facts}</dl>"
        f"{_traces(records, diagnoses, labels, wrong)}{source_markup(program)}</details>"
    )


def _fact(record: Record, diagnosis: Diagnosis) -> str:
    """One run of a flip in a sentence: its verdict, its end, and the cause with its evidence."""
    verdict = record.verdict()
    end = " ".join(diagnosis.found.answer) if diagnosis.found.answer is not None else "no end"
    text = f"answer {verdict.answer}, trace {verdict.trace}; {short(end, MAX_VALUE_CHARS)}"
    if verdict.cause:
        evidence = verdict.note or diagnosis.cause.evidence
        text += f". {verdict.cause}" + (f": {evidence}" if evidence else "")
    return short(text, MAX_SENTENCE_CHARS)


# ---- both traces


def _traces(records: Sequence[Record], diagnoses: Sequence[Diagnosis], labels: Sequence[str], focus: int) -> str:
    """Both traces beside the true one; in two tables if the runs have other notations, or another truth."""
    first, second = records
    is_same_truth = first.truth.startswith(second.truth) or second.truth.startswith(first.truth)
    if first.found.codec == second.found.codec and is_same_truth:
        return _table(records[0].ask.program, diagnoses, labels, focus)
    return "".join(
        _table(record.ask.program, [diagnosis], [label], 0)
        for record, diagnosis, label in zip(records, diagnoses, labels, strict=True)
    )


@dataclass(frozen=True)
class JoinedRow:
    """One row of the true trace and of each predicted one; None where a run has no such row."""

    cells: tuple[ComparedRow | None, ...]

    @property
    def is_first(self) -> bool:
        """Whether a prediction diverges here first."""
        return any(cell is not None and cell.kind == "first" for cell in self.cells)


def joined(columns: Sequence[Sequence[ComparedRow]]) -> list[JoinedRow]:
    """Join the rows of several predictions of one true trace: by true step, and steps that are not true between."""
    places: dict[tuple[int, int, int], list[ComparedRow | None]] = {}
    for number, column in enumerate(columns):
        step, extra = -1, 0
        for row in column:
            if row.wanted is not None:
                step, extra = step if row.step is None else row.step, 0
                place = (step, 0, 0)
            else:
                extra += 1
                place = (step, number + 1, extra)
            places.setdefault(place, [None] * len(columns))[number] = row
    return [JoinedRow(tuple(places[place])) for place in sorted(places)]


def _table(program: Program, diagnoses: Sequence[Diagnosis], labels: Sequence[str], focus: int) -> str:
    sources = {**dict(program.files), program.name: program.source}
    lines = {name: coloured_lines(text, language_of(name), MAX_VALUE_CHARS) for name, text in sources.items()}
    columns = [
        list(
            compared_rows(
                program, tuple(rows(case)), case.truth.events, case.found.events, case.first, max_chars=MAX_VALUE_CHARS
            )
        )
        for case in diagnoses
    ]
    all_rows = joined(columns)
    middle = next((n for n, row in enumerate(all_rows) if (cell := row.cells[focus]) and cell.kind == "first"), None)
    body, shown, at = list[str](), list[ComparedRow](), 0
    width = 4 + len(labels)
    for start, end in window(len(all_rows), middle, MAX_ROWS):
        body.extend(_gap(start - at, width))
        body.extend(_row(row, lines, program, focus) for row in all_rows[start:end])
        shown += [cell for row in all_rows[start:end] for cell in row.cells if cell is not None]
        at = end
    body.extend(_gap(len(all_rows) - at, width))
    heads = "".join(f"<th>{safe(label)}" for label in labels)
    return (
        f'<div class="wide"><table class="flip-traces"><thead><tr><th>step<th>line<th>source<th>actual{heads}</tr>'
        f"</thead><tbody>{''.join(body)}</tbody></table>{named_values(shown, program)}</div>"
    )


def _gap(count: int, width: int) -> Iterator[str]:
    if count:
        yield f'<tr class="gap"><td colspan="{width}">{count:,} rows are not shown</td></tr>'


def _row(row: JoinedRow, lines: dict[str, list[str]], program: Program, focus: int) -> str:
    leading = row.cells[focus] or next(cell for cell in row.cells if cell is not None)
    source = lines.get(leading.file or program.name, [])
    code = source[leading.line - 1] if leading.line is not None and 0 < leading.line <= len(source) else ""
    sign = f'<span class="sign wrong" title="first divergence">{look.SIGNS["wrong"]}</span> '
    actual = _cell(leading.wanted, leading.got)
    predictions = "".join(_predicted(cell, sign) for cell in row.cells)
    number, line = ("" if value is None else str(value) for value in (leading.step, leading.line))
    kind = "first" if row.is_first else leading.kind
    return (
        f'<tr class="{kind}"><td class="n">{number}</td><td class="n">{line}</td>'
        f'<td class="source"><span class="soft">{"│ " * min(leading.depth, 8)}</span>{code}</td>'
        f'<td class="wanted">{actual}</td>{predictions}</tr>'
    )


def _predicted(cell: ComparedRow | None, sign: str) -> str:
    if cell is None:
        return '<td class="got"></td>'
    if cell.kind != "first":
        return f'<td class="got">{_cell(cell.got, cell.wanted)}</td>'
    shown = _cell(cell.got, cell.wanted) or '<span class="soft">no change</span>'
    return f'<td class="got">{sign}{shown}</td>'


def _cell(pieces: tuple[CellPiece, ...] | None, others: tuple[CellPiece, ...] | None) -> str:
    return cell_markup(shorten_cell(pieces), shorten_cell(others))
