"""Stored outputs of a model, read from JSON lines: `replay:FILE`.

A row has a `text` (or `output`, `prediction`, `completion`) and the key of its request: the program's `digest`, the
`prompt` (compact, or as `encode --part prompt` writes it in the notation of the texts), or the task's `id` (or
`task_id`, `sample_id`, `name`), which also finds a row with another digest or prompt. Rows without a key are matched in
the order of the requests (`-M by=order`). `status`, `codec`, `logprob` and `note` are optional. A request that is not
in the file is a fault, never a wrong prediction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

from worldline.codec.cwm.stage import unposed
from worldline.codec.names import DEFAULT_NOTATION, NOTATIONS
from worldline.codec.notation import notation, recognized
from worldline.core.errors import UsageError
from worldline.core.external_json import parse_external_json
from worldline.predict.prediction import STATUSES, Prediction, PredictionRequest, summed_logprob
from worldline.predict.predictor import Capabilities, ModelInfo
from worldline.predict.table import context_of
from worldline.storage.inputs import open_input

TEXT_FIELDS = ("text", "output", "prediction", "completion")
ID_FIELDS = ("id", "task_id", "sample_id", "name")
KEYS = ("digest", "prompt", "id", "order")


@dataclass(frozen=True)
class ReplayPredictor:
    """Looks up stored predictions by one of `KEYS`; by `order`, each request takes the next row."""

    name: str
    rows: dict[str | int, Prediction]
    by: str
    by_id: dict[str, Prediction] = field(default_factory=dict)
    _places: Iterator[int] = field(default_factory=count)

    @cached_property
    def info(self) -> ModelInfo:
        """Its notation is that of all texts, or the default one if they differ."""
        codecs = {row.codec for row in self.rows.values() if row.status != "fault"}
        written = codecs.pop() if len(codecs) == 1 else DEFAULT_NOTATION
        return ModelInfo(name=self.name, notation=written, is_replay=True)

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities()

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """Yield the stored prediction of each request, in order."""
        for request in requests:
            row = next((self.rows[key] for key in self._keys(request) if key in self.rows), None)
            row = row or self.by_id.get(request.name)
            yield _fit(request, row) if row else _fault(request, f"not in the file: no row with this {self.by}")

    def _keys(self, request: PredictionRequest) -> Iterator[str | int]:
        """The keys under which the row of a request may stand."""
        if self.by == "order":
            yield next(self._places)
        elif self.by == "id":
            yield request.name
        elif self.by == "digest":
            yield request.program.digest
            yield from (program.digest for program in unposed(request.program))
        else:
            yield request.prompt.decode("utf-8", "surrogatepass")
            yield notation(self.info.notation).prompt(context_of(request)).decode("utf-8", "surrogatepass")


def load_replay(path: Path, *, by: str | None = None, codec: str | None = None) -> ReplayPredictor:
    """Load stored outputs. By default, the first row shows how rows are matched, and each text shows its notation."""
    if by is not None and by not in KEYS:
        raise UsageError(f"by is one of {', '.join(KEYS)}, not {by!r}")
    rows: dict[str | int, Prediction] = {}
    by_id: dict[str, list[Prediction]] = {}
    has_choice = by is None
    try:
        with open_input(path) as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                where = f"{path}, line {number}"
                row = _row(where, line)
                by = by or _detect_key(where, row)
                key = len(rows) if by == "order" else _id(where, row) if by == "id" else _text(where, row, by)
                prediction = _prediction(where, row, codec)
                if rows.setdefault(key, prediction) != prediction:
                    raise UsageError(f"{where}: a second text for the same {by}")
                if has_choice and any(name in row for name in ID_FIELDS):
                    by_id.setdefault(_id(where, row), []).append(prediction)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    # Several texts of one id, such as those of several calls, are told apart by another key.
    alone = {name: texts[0] for name, texts in by_id.items() if len(texts) == 1}
    return ReplayPredictor(f"replay:{path.name}", rows, by or "digest", alone)


def _row(where: str, line: bytes) -> dict[str, Any]:
    try:
        row = parse_external_json(line)
    except ValueError:
        raise UsageError(f"{where}: not JSON") from None
    if not isinstance(row, dict):
        raise UsageError(f"{where}: not an object")
    return row


def _detect_key(where: str, row: dict[str, Any]) -> str:
    for key in ("digest", "prompt"):
        if key in row:
            return key
    if any(name in row for name in ID_FIELDS):
        return "id"
    raise UsageError(
        f"{where}: no `digest`, `prompt` or `id`; pass -M by=order if the rows are in the order of the programs"
    )


def _id(where: str, row: dict[str, Any]) -> str:
    """The name of the row's task; a number is written out."""
    value = next((row[name] for name in ID_FIELDS if name in row), None)
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise UsageError(f"{where}: none of {', '.join(ID_FIELDS)} is a text or a number")
    return str(value)


def _text(where: str, row: dict[str, Any], key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str):
        raise UsageError(f"{where}: `{key}` is missing or not a string")
    return value


def _prediction(where: str, row: dict[str, Any], codec: str | None) -> Prediction:
    key = next((key for key in TEXT_FIELDS if key in row), None)
    status = row.get("status")
    if key is None and status != "fault":
        raise UsageError(f"{where}: none of {', '.join(TEXT_FIELDS)}")
    text = "" if key is None or row[key] is None else _text(where, row, key)
    codec = row.get("codec") or codec or recognized(text)
    status = status or ("budget" if row.get("finish_reason") == "length" else "ended" if text else "empty")
    if status not in STATUSES or codec not in NOTATIONS:
        raise UsageError(f"{where}: unknown status {status!r} or codec {codec!r}")
    note = row.get("note")
    return Prediction(
        text=text.encode("utf-8", "surrogatepass"),
        status=status,
        codec=codec,
        logprob=summed_logprob([row.get("logprob")]),
        note=note if isinstance(note, str) else "",
    )


def _fit(request: PredictionRequest, prediction: Prediction) -> Prediction:
    """Cut a prediction to the limit of its request, and check that it starts with `given`."""
    if prediction.status != "fault":
        prediction = replace(
            prediction, text=notation(prediction.codec).steps_alone(context_of(request), prediction.text)
        )
    if prediction.status != "fault" and not prediction.text.startswith(request.given):
        return _fault(request, "the text in the file does not start with the given steps")
    if len(prediction.text) > request.limit:
        return replace(prediction, text=prediction.text[: request.limit], status="budget")
    return prediction


def _fault(request: PredictionRequest, note: str) -> Prediction:
    return Prediction(text=request.given, status="fault", note=note)
