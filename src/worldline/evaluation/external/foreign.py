"""Predictions made elsewhere, ready to be judged: each with its program, in one notation, told apart by how it ends.

Text in Meta's format becomes that format with every special token spelled, however it was decoded; text in the compact
format stays. A prediction that is cut, runs on, repeats itself, is malformed or empty says so in `note`. Fields and
files are rows.py's, programs program.py's. Nothing is run, and nothing is judged.
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
from worldline.evaluation.external.program import program_of
from worldline.evaluation.external.rows import ForeignRow, read_rows
from worldline.predict.prediction import Prediction

END = b"\n.\n"  # of the compact format
FAULT = "fault"
NOTES = (*KINDS, "no program", FAULT)
STATUSES = {
    "whole": "ended", "run-on": "ended", "truncated": "budget", "repetition": "budget", "malformed": "ended",
    "empty": "empty", "no program": "ended", FAULT: "fault",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Foreign:
    """One prediction made elsewhere. `note` is one of NOTES; `detail` says where and why.

    `answer` is what the file, else the model in `[ANSWER]` brackets, gives as the answer, `own` what the model gives
    there, and `expected` what the file says is right: texts as they stand there. `refused`: the file calls it wrong.
    `sample` counts the predictions of one id. `raw` is what was read.
    `fault` is why the tool failed on it: its program is then an empty one, where that was not found.
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

    def beside(self, expected: str | None) -> ReportedAnswer:
        """What stands beside the trace; what a benchmark says is right is given."""
        taken = self.answer if self.answer is not self.own else None
        return ReportedAnswer(own=self.own, taken=taken, expected=expected, failed=self.refused)

    @property
    def prediction(self) -> Prediction:
        """The same as any other predictor's."""
        return Prediction(text=self.text, status=STATUSES[self.note], codec=self.codec)

    def failed(self, fault: RowFault) -> Foreign:
        """The same, where the tool failed on it."""
        return replace(self, note=FAULT, fault=fault)


def read_predictions(
    path: str | Path,
    *,
    fields: Mapping[str, str] | None = None,
    programs: Callable[[str], Program | None] = lambda _: None,
    options: Compact | None = None,
) -> list[Foreign]:
    """Every prediction of a file. `programs` gives a suite's by id, for rows that do not say what they are of.

    `fields` maps a role (`rows.FIELDS`) to the name it goes by; `options` are those of compact text.
    """
    return [_read(row, programs(row.id), options or Compact()) for row in read_rows(path, fields=fields)]


def _read(row: ForeignRow, known: Program | None, options: Compact) -> Foreign:
    """One row, or that the tool failed on it."""
    found = call_or_fault(_foreign, row, known, options) if row.fault is None else row.fault
    if not isinstance(found, RowFault):
        return found
    program = call_or_fault(program_of, row.roles, row.text, known)
    if isinstance(program, RowFault) or program is None:
        program = known or Program(source="")
    return Foreign(
        id=row.id, text=_bytes(row.text), answer=None, codec="cwm", expected=None, note=FAULT, program=program,
        sample=row.sample, raw=row.text, fault=found,
    )  # fmt: skip


def _foreign(row: ForeignRow, known: Program | None, options: Compact) -> Foreign:
    program = program_of(row.roles, row.text, known)
    expected, said = row.roles.get("expected"), row.roles.get("answer")
    raw = row.text
    refused = row.roles.get("passed", "").lower() in ("false", "0", "0.0")
    made = partial(
        Foreign, id=row.id, program=program, expected=expected, sample=row.sample, raw=raw, refused=refused
    )
    text = _without_prompt(raw, row.roles.get("prompt", ""))
    if program is None:
        note = "no program" if text.strip() else "empty"
        return made(text=_bytes(text), answer=said, codec="cwm", note=note)
    read = read_foreign(text, program)
    if read.kind == "malformed" and not read.prediction.frames:
        compact = _compact(_bytes(text), program, options)
        if compact is not None:
            shown, note, detail = compact
            return made(text=shown, answer=said, codec="compact", note=note, detail=detail)
    own = asserted(read.answer)
    answer = said if said is not None else own
    return made(
        text=_bytes(read.text), answer=answer, codec="cwm", note=read.kind, detail=_detail(read), own=own
    )


def _without_prompt(text: str, prompt: str) -> str:
    return text[len(prompt) :] if prompt.strip() and text.startswith(prompt) else text


def _compact(data: bytes, program: Program, options: Compact) -> tuple[bytes, str, str] | None:
    """A text in the compact format up to its end, how it ends and where; None for a text that is not in it."""
    shown, mark, rest = data.partition(END)
    for given in (prompt(program, options), None):
        parsed = compact_parse.parse(shown + mark, given)
        if not parsed.steps:
            continue
        if parsed.malformed is not None:
            return (
                data,
                "malformed",
                f"at byte {parsed.malformed.offset}: expected {parsed.malformed.expected}",
            )
        if parsed.ended and rest.strip():
            return shown + mark, "run-on", f"from byte {len(shown + mark)} on"
        return data, "whole" if parsed.ended else "truncated", ""
    return None


def _detail(read: ExternalText) -> str:
    if read.malformed is not None:
        return f"at character {read.malformed.offset}: expected {read.malformed.expected}"
    if read.run_on is not None:
        return f"from character {read.run_on} on"
    return "" if read.repeats is None else f"the same from character {read.repeats} on"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
