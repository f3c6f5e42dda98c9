"""One line of a run's log as a row of the index: the fields that are listed and searched, without the traces."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
from typing import Annotated, Any, Literal

import msgspec

from worldline.codec.names import DEFAULT_NOTATION, NotationName
from worldline.codec.notation import notation
from worldline.core.errors import FormatError
from worldline.evaluation.external.program import called

MAX_LISTED_CHARS = 200  # of a name or a call in a list
RIGHT, FAULT, NONE = "right", "tool fault", "none"
Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]
VerdictWord = Literal["right", "wrong", "truncated", "malformed"]


class _Judged(msgspec.Struct):
    answer: VerdictWord
    trace: VerdictWord
    type: str
    steps: Count
    agreed: Count
    bytes: Count
    cause: str = ""


class _Ran(msgspec.Struct):
    call: str | None = None


class _Line(msgspec.Struct):
    """The fields that are read; others are ignored."""

    at: Count
    name: str
    kind: Literal["asked", "skipped", "disagrees"]
    program: str
    group: str = ""
    source: str = ""
    run: _Ran = msgspec.field(default_factory=_Ran)
    truth: str = ""
    truth_base64: str = ""
    status: Literal["ended", "budget", "empty", "broken", "fault"] = "empty"
    codec: NotationName = DEFAULT_NOTATION
    seconds: float = 0.0
    logprob: float | None = None
    note: str = ""
    verdict: _Judged | None = None
    operation: str | None = None


class IndexRow(msgspec.Struct, frozen=True):
    """The columns of one record.

    `size` is that of the true text, `digest` that of the line, and `program` that of the program's digest. A task that
    was not predicted has only its position and kind. `operation` is None if the record does not name it, as in older
    runs.
    """

    at: int
    kind: str
    digest: int
    program: int = 0
    name: str = ""
    call: str = ""
    group: str = ""
    words: str = ""
    source: str = ""
    status: str = ""
    cause: str = ""
    type: str = NONE
    answer: bool | None = None
    trace: bool | None = None
    steps: int | None = None
    agreed: int | None = None
    bytes: int | None = None
    depth: int | None = None
    seconds: float | None = None
    size: int = 0
    operation: str | None = None


_decoder = msgspec.json.Decoder(_Line)


def row(text: bytes) -> IndexRow:
    """Parse a line of the log.

    Raises:
        FormatError: The line is not a record.
    """
    line = _line(text)
    if line.kind != "asked":
        return IndexRow(line.at, line.kind, number(text))
    truth = line.truth or _decoded(line.truth_base64)
    judged = line.verdict if line.status != "fault" else None
    call = called(line.source, line.run.call) or ""
    cause = FAULT if line.status == "fault" else (judged.cause if judged else "") or RIGHT
    return IndexRow(
        at=line.at,
        kind="asked",
        digest=number(text),
        program=number(line.program.encode("utf-8", "replace")),
        name=listed(line.name or call or f"sample {line.at}"),
        call=listed(call),
        group=listed(line.group),
        words="\n".join((line.name, call, cause)),
        source=line.source,
        status=line.status,
        cause=listed(cause),
        depth=notation(line.codec).depth(truth),
        seconds=line.seconds if math.isfinite(line.seconds) else None,
        size=len(truth),
        **(_verdict_columns(judged, line.operation) if judged else {}),
    )


def _verdict_columns(judged: _Judged, operation: str | None) -> dict[str, Any]:
    return {
        "type": listed(judged.type or NONE),
        "answer": judged.answer == "right",
        "trace": judged.trace == "right",
        "steps": judged.steps,
        "agreed": judged.agreed,
        "bytes": judged.bytes,
        "operation": listed(operation or NONE) if operation is not None and judged.cause else None,
    }


def number(data: bytes) -> int:
    """Return a digest of 64 bits."""
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little", signed=True)


def clean(text: str) -> str:
    """Escape lone surrogates, which UTF-8 cannot encode."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def listed(text: str) -> str:
    """Shorten and clean a text for a list."""
    more = len(text) - MAX_LISTED_CHARS
    return clean(text if more <= 0 else f"{text[:MAX_LISTED_CHARS]}...<{more:,} more>")


def _line(text: bytes) -> _Line:
    try:
        try:
            return _decoder.decode(text)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            if isinstance(error, msgspec.ValidationError):
                raise
            return msgspec.convert(json.loads(text), _Line)  # json also reads lone surrogates and NaN
    except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
        raise FormatError(f"not a record of a run: {clean(str(error))[:MAX_LISTED_CHARS]}") from None


def _decoded(data: str) -> str:
    """Decode a text that is not UTF-8. Only its ASCII marks matter here."""
    try:
        return base64.b64decode(data, validate=True).decode("latin-1")
    except (binascii.Error, ValueError):
        return ""
