"""Predictions made elsewhere, ready to be judged: each with its program, in one notation, classified by its ending.

Text in the notation `cwm` gets all its special tokens back, however it was decoded; compact text stays as it is. `note`
says whether a prediction is truncated, runs on, repeats itself, is malformed or empty. Nothing is executed or judged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from worldline.codec.compact import parse as compact_parse
from worldline.codec.compact.prompt import Compact, prompt
from worldline.codec.cwm.external.reading import KINDS, ExternalText, asserted
from worldline.codec.cwm.external.reading import read as read_foreign
from worldline.core.fault import RowFault, call_or_fault
from worldline.core.program import Program
from worldline.diagnose.sample import ReportedAnswer
from worldline.evaluation.external.program import program_of, with_first_frames
from worldline.evaluation.external.rows import ExternalRow, read_rows
from worldline.predict.prediction import Prediction

END = b"\n.\n"  # of a compact text
FAULT = "fault"
NOTES = (*KINDS, "no program", FAULT)
STATUSES = {
    "whole": "ended",
    "run-on": "ended",
    "truncated": "budget",
    "repetition": "budget",
    "malformed": "ended",
    "empty": "empty",
    "no program": "ended",
    FAULT: "fault",
}


@dataclass(frozen=True, kw_only=True)
class ExternalPrediction:
    """One prediction made elsewhere.

    Attributes:
        text: The prediction, in the notation `codec`.
        answer: The answer according to the file or, failing that, the model's in `[ANSWER]` brackets.
        expected: The right answer according to the file.
        note: How the text ends: one of `NOTES`.
        detail: Where and why.
        sample: Counts the predictions of one id.
        raw: The text in the file.
        fault: Why the tool failed on it. The program is then empty if it was not found.
        own: The model's own answer, in `[ANSWER]` brackets.
        refused: The file calls the prediction wrong.
    """

    id: str
    text: bytes
    answer: str | None
    codec: str
    program: Program | None
    expected: str | None
    note: str
    detail: str = ""
    sample: int = 0
    raw: str = ""
    fault: RowFault | None = None
    own: str | None = None
    refused: bool = False

    def reported_answer(self, expected: str | None) -> ReportedAnswer:
        """Return the answers beside the trace; `expected` is the benchmark's."""
        taken = self.answer if self.answer is not self.own else None
        return ReportedAnswer(own=self.own, taken=taken, expected=expected, failed=self.refused)

    @property
    def prediction(self) -> Prediction:
        """The text as a prediction."""
        return Prediction(text=self.text, status=STATUSES[self.note], codec=self.codec)

    def failed(self, fault: RowFault) -> ExternalPrediction:
        """Return a copy that notes a fault of the tool."""
        return replace(self, note=FAULT, fault=fault)


def read_predictions(
    path: str | Path,
    *,
    fields: Mapping[str, str] | None = None,
    programs: Callable[[str], Program | None] = lambda _: None,
    options: Compact | None = None,
) -> list[ExternalPrediction]:
    """Read every prediction of a file.

    Args:
        path: The file.
        fields: The names of its fields by role (`rows.FIELDS`), if they cannot be guessed.
        programs: Returns a suite's program by id, for rows that do not show theirs.
        options: The options of compact text.
    """
    return [_read(row, programs(row.id), options or Compact()) for row in read_rows(path, fields=fields)]


def _read(row: ExternalRow, known: Program | None, options: Compact) -> ExternalPrediction:
    """One prediction; if the tool failed on it, with the fault."""
    result = call_or_fault(_prediction, row, known, options) if row.fault is None else row.fault
    if not isinstance(result, RowFault):
        return result
    program = call_or_fault(program_of, row.roles, row.text, known)
    if isinstance(program, RowFault) or program is None:
        program = known or Program(source="")
    return ExternalPrediction(
        id=row.id,
        text=_bytes(row.text),
        answer=None,
        codec="cwm",
        expected=None,
        note=FAULT,
        program=program,
        sample=row.sample,
        raw=row.text,
        fault=result,
    )


def _prediction(row: ExternalRow, known: Program | None, options: Compact) -> ExternalPrediction:
    program = program_of(row.roles, row.text, known)
    expected, stated = row.roles.get("expected"), row.roles.get("answer")
    raw = row.text
    refused = row.roles.get("passed", "").lower() in ("false", "0", "0.0")
    build = partial(
        ExternalPrediction, id=row.id, program=program, expected=expected, sample=row.sample, raw=raw, refused=refused
    )
    prompt_text = row.roles.get("prompt", "")
    text = _without_prompt(raw, prompt_text)
    if program is None:
        note = "no program" if text.strip() else "empty"
        return build(text=_bytes(text), answer=stated, codec="cwm", note=note)
    text = with_first_frames(text, prompt_text, program)
    read = read_foreign(text, program)
    if read.kind == "malformed" and not read.prediction.frames:
        compact = _compact(_bytes(text), program, options)
        if compact is not None:
            shown, note, detail = compact
            return build(text=shown, answer=stated, codec="compact", note=note, detail=detail)
    own = asserted(read.answer)
    answer = stated if stated is not None else own
    return build(text=_bytes(read.text), answer=answer, codec="cwm", note=read.kind, detail=_detail(read), own=own)


def _without_prompt(text: str, prompt: str) -> str:
    return text[len(prompt) :] if prompt.strip() and text.startswith(prompt) else text


def _compact(data: bytes, program: Program, options: Compact) -> tuple[bytes, str, str] | None:
    """A compact text up to its end, how it ends and where; None for a text in another notation."""
    shown, mark, rest = data.partition(END)
    for context in (prompt(program, options), None):
        parsed = compact_parse.parse(shown + mark, context)
        if not parsed.steps:
            continue
        if parsed.malformed is not None:
            malformed = parsed.malformed
            return data, "malformed", f"at byte {malformed.offset}: expected {malformed.expected}"
        if parsed.ended and rest.strip():
            return shown + mark, "run-on", f"from byte {len(shown + mark)}"
        return data, "whole" if parsed.ended else "truncated", ""
    return None


def _detail(read: ExternalText) -> str:
    if read.malformed is not None:
        return f"at character {read.malformed.offset}: expected {read.malformed.expected}"
    if read.run_on is not None:
        return f"from character {read.run_on}"
    return "" if read.repeats is None else f"repeats itself from character {read.repeats}"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
