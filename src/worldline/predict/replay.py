"""Outputs that were made elsewhere: `replay:FILE`, JSON lines of texts, each found again for its request.

A row holds its `text` (or `output`, `prediction`, `completion`) and what it belongs to: the program's `digest`, or the
`prompt` as it was asked; rows that hold neither are taken in the order of the requests (`-M by=order`). Optional are
`status`, `codec`, `logprob` and `note`. A request that the file does not hold is a fault, never a wrong prediction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

from worldline.codec.names import DEFAULT_NOTATION, NOTATIONS
from worldline.codec.notation import notation, recognized
from worldline.core.errors import UsageError
from worldline.core.external_json import parse_external_json
from worldline.predict.prediction import STATUSES, Prediction, PredictionRequest, summed_logprob
from worldline.predict.predictor import Capabilities, ModelInfo
from worldline.predict.table import context_of

TEXTS = ("text", "output", "prediction", "completion")
KEYS = ("digest", "prompt", "order")


@dataclass(frozen=True)
class ReplayPredictor:
    """Predictions by what they belong to; by their place in the file where `by` is `order`.

    A place counts every request that was ever made, in whichever batches: nothing is read twice.
    """

    name: str
    rows: dict[str | int, Prediction]
    by: str
    _places: Iterator[int] = field(default_factory=count)

    @cached_property
    def info(self) -> ModelInfo:
        """Its notation is that of all texts; ours where there are several."""
        codecs = {row.codec for row in self.rows.values() if row.status != "fault"}
        written = codecs.pop() if len(codecs) == 1 else DEFAULT_NOTATION
        return ModelInfo(name=self.name, notation=written, is_replay=True)

    @property
    def capabilities(self) -> Capabilities:
        """None besides `predict`."""
        return Capabilities()

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """One prediction for each request, in their order."""
        for request in requests:
            found = self.rows.get(self._key(request))
            yield _fitted(request, found) if found else _fault(request, "not in the file")

    def _key(self, request: PredictionRequest) -> str | int:
        if self.by == "order":
            return next(self._places)
        return (
            request.program.digest if self.by == "digest" else request.prompt.decode("utf-8", "surrogatepass")
        )


def load_replay(path: Path, *, by: str | None = None, codec: str | None = None) -> ReplayPredictor:
    """The rows of a file. `by` is found out from the first row, and so is the `codec` of each text that has none."""
    rows: dict[str | int, Prediction] = {}
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                where = f"{path}, line {number}"
                row = _row(where, line)
                by = by or _by(where, row)
                key = len(rows) if by == "order" else _text(where, row, by)
                found = _prediction(where, row, codec)
                if rows.setdefault(key, found) != found:
                    raise UsageError(f"{where}: another text for the same {by}")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    return ReplayPredictor(f"replay:{path.name}", rows, by or "digest")


def _row(where: str, line: bytes) -> dict[str, Any]:
    try:
        row = parse_external_json(line)
    except ValueError:
        raise UsageError(f"{where}: not JSON") from None
    if not isinstance(row, dict):
        raise UsageError(f"{where}: not an object")
    return row


def _by(where: str, row: dict[str, Any]) -> str:
    for key in ("digest", "prompt"):
        if key in row:
            return key
    raise UsageError(
        f"{where}: neither `digest` nor `prompt`; say -M by=order if rows stand as programs are asked for"
    )


def _text(where: str, row: dict[str, Any], key: str) -> str:
    found = row.get(key)
    if not isinstance(found, str):
        raise UsageError(f"{where}: no text under `{key}`")
    return found


def _prediction(where: str, row: dict[str, Any], codec: str | None) -> Prediction:
    key = next((key for key in TEXTS if key in row), None)
    status = row.get("status")
    if key is None and status != "fault":
        raise UsageError(f"{where}: none of {', '.join(TEXTS)}")
    text = "" if key is None or row[key] is None else _text(where, row, key)
    codec = row.get("codec") or codec or recognized(text)
    status = status or ("budget" if row.get("finish_reason") == "length" else "ended" if text else "empty")
    if status not in STATUSES or codec not in NOTATIONS:
        raise UsageError(f"{where}: a status {status!r} or a codec {codec!r} that there is not")
    note = row.get("note")
    return Prediction(
        text=text.encode("utf-8", "surrogatepass"), status=status, codec=codec,
        logprob=summed_logprob([row.get("logprob")]),
        note=note if isinstance(note, str) else "",
    )  # fmt: skip


def _fitted(request: PredictionRequest, found: Prediction) -> Prediction:
    """A prediction as the request wants it: within the limit, and with what is given at its front."""
    if found.status != "fault":
        found = replace(found, text=notation(found.codec).steps_alone(context_of(request), found.text))
    if found.status != "fault" and not found.text.startswith(request.given):
        return _fault(request, "the text in the file does not begin with what is given")
    if len(found.text) > request.limit:
        return replace(found, text=found.text[: request.limit], status="budget")
    return found


def _fault(request: PredictionRequest, note: str) -> Prediction:
    return Prediction(text=request.given, status="fault", note=note)
