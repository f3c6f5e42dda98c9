"""One line of a run's log as the index keeps it: the few fields it is listed and found by, not its texts.

A line that is no record is refused in words. Whether its texts are of their notation is not looked at.
"""

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

LISTED = 200  # characters of a name or a call that a list shows
RIGHT, FAULT, NONE = "right", "tool fault", "none"
Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]
Outcome = Literal["right", "wrong", "truncated", "malformed"]


class _Judged(msgspec.Struct):
    answer: Outcome
    trace: Outcome
    type: str
    steps: Count
    agreed: Count
    bytes: Count
    cause: str = ""


class _Ran(msgspec.Struct):
    call: str | None = None


class _Line(msgspec.Struct):
    """What is read of a line; every other field is passed over."""

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
    """The columns of one record. `size` is of the true text; `digest` is of the line, `program` of its program's name.

    Of a task that was not asked there is only its place and its kind. Of a failure whose record does not say which
    operation it is about, as in older runs, `operation` is None.
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
    """A line's columns; FormatError where it is no record."""
    line = _line(text)
    if line.kind != "asked":
        return IndexRow(line.at, line.kind, number(text))
    truth = line.truth or _decoded(line.truth_base64)
    judged = line.verdict if line.status != "fault" else None
    call = called(line.source, line.run.call) or ""
    cause = FAULT if line.status == "fault" else (judged.cause if judged else "") or RIGHT
    return IndexRow(
        at=line.at, kind="asked", digest=number(text), program=number(line.program.encode("utf-8", "replace")),
        name=listed(line.name or call or f"sample {line.at}"), call=listed(call), group=listed(line.group),
        words="\n".join((line.name, call, cause)), source=line.source, status=line.status, cause=listed(cause),
        type=listed(judged.type or NONE) if judged else NONE, answer=judged.answer == "right" if judged else None,
        trace=judged.trace == "right" if judged else None, steps=judged.steps if judged else None,
        agreed=judged.agreed if judged else None, bytes=judged.bytes if judged else None,
        depth=notation(line.codec).depth(truth), seconds=line.seconds if math.isfinite(line.seconds) else None,
        size=len(truth), operation=_operation(line, judged),
    )  # fmt: skip


def _operation(line: _Line, judged: _Judged | None) -> str | None:
    if line.operation is None or judged is None or not judged.cause:
        return None
    return listed(line.operation or NONE)


def number(data: bytes) -> int:
    """A digest that fits into a column."""
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little", signed=True)


def clean(text: str) -> str:
    """The text with lone surrogates spelled out: what UTF-8 and JSON have a place for."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def listed(text: str) -> str:
    """A text as a list shows it."""
    return clean(text if len(text) <= LISTED else f"{text[:LISTED]}...<{len(text) - LISTED:,} more>")


def _line(text: bytes) -> _Line:
    try:
        try:
            return _decoder.decode(text)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            if isinstance(error, msgspec.ValidationError):
                raise
            return msgspec.convert(_loaded(text), _Line)  # what json alone reads: lone surrogates, NaN
    except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
        raise FormatError(f"not a record of a run: {clean(str(error))[:LISTED]}") from None


def _loaded(text: bytes) -> Any:
    return json.loads(text)


def _decoded(data: str) -> str:
    """A text that is not UTF-8: its marks are ASCII, which is all that is looked at."""
    try:
        return base64.b64decode(data, validate=True).decode("latin-1")
    except (binascii.Error, ValueError):
        return ""
