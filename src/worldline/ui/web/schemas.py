"""What goes over the wire, as JSON Schema: the bodies that are taken (`schema_check` checks them) and the answers.

Answers may have more fields than these; these they have. Paths and statuses are `endpoints`'.
"""

from __future__ import annotations

from typing import Any

from worldline.codec.names import NOTATIONS
from worldline.core.language import LANGUAGES

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 0}
PLACE: Schema = {"type": "integer", "minimum": 0, "maximum": 999_999_999}
MAYBE_TEXT: Schema = {"type": ["string", "null"]}
MAYBE_FLAG: Schema = {"type": ["boolean", "null"]}
MAYBE_COUNT: Schema = {"type": ["integer", "null"]}
MAYBE_NUMBER: Schema = {"type": ["number", "null"]}
MAYBE_SHARE: Schema = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
MOST_SOURCE = 100_000  # characters of a program that is typed
MOST_STDIN = 50_000


def listed(items: Schema) -> Schema:
    """An array of such."""
    return {"type": "array", "items": items}


def named(name: str) -> Schema:
    """A schema of SCHEMAS, by name."""
    return {"$ref": f"#/components/schemas/{name}"}


def maybe(schema: Schema) -> Schema:
    """Such, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def record(**fields: Schema) -> Schema:
    """An object with all of these fields."""
    return {"type": "object", "required": list(fields), "properties": fields}


def closed(needed: dict[str, Schema], **others: Schema) -> Schema:
    """An object with these fields, perhaps the others, and no more."""
    return {
        "type": "object", "required": list(needed), "properties": {**needed, **others}, "additionalProperties": False,
    }  # fmt: skip


STEP: Schema = {"type": "integer", "minimum": 0, "maximum": 1 << 40}
LINE: Schema = {"type": "integer", "minimum": 1, "maximum": 1 << 31}
_NAME: Schema = {"type": "string", "minLength": 1, "maxLength": 200}
INTERVENTION: Schema = {
    "oneOf": [
        closed({
            "kind": {"const": "edit"}, "step": STEP, "name": _NAME,
            "value": {"type": ["string", "null"], "maxLength": 20_000},
        }),
        closed({"kind": {"const": "line"}, "step": STEP, "line": LINE}),
        closed({"kind": {"const": "budget"}, "limit": {"type": "integer", "minimum": 1, "maximum": 1 << 22}}),
        closed({"kind": {"const": "rewrite"}, "how": {"type": "string", "pattern": "^[a-z]{1,30}$"}}),
    ]
}  # fmt: skip
BRANCH_BODY: Schema = closed({"intervention": INTERVENTION}, parent=PLACE)
PROGRAM_BODY: Schema = closed(
    {"source": {"type": "string", "maxLength": MOST_SOURCE}},
    call={"type": ["string", "null"], "maxLength": 10_000},
    stdin={"type": "string", "maxLength": MOST_STDIN},
    language={"enum": list(LANGUAGES)},
    model={"type": "string", "maxLength": 200},
)

_SHARE = record(some=COUNT, n=COUNT, low=MAYBE_NUMBER, high=MAYBE_NUMBER)
_BUCKET = record(label=TEXT, filter={"type": "object"}, n=COUNT, answer=named("Share"), trace=named("Share"))
_BY = ("horizon", "depth", "type", "cause", "suite", "ending")
_DIFFERENCE = record(what=TEXT, name=MAYBE_TEXT, wanted=MAYBE_TEXT, got=MAYBE_TEXT, path={}, at={})
_CELL = record(
    step=COUNT, event=TEXT, line=MAYBE_COUNT, file=MAYBE_TEXT, frame=MAYBE_COUNT,
    changes=listed({"type": "array", "minItems": 3, "maxItems": 3}), arg=MAYBE_TEXT, printed=MAYBE_TEXT,
    sure=MAYBE_SHARE, sure_action=MAYBE_SHARE, sure_state=MAYBE_SHARE, bytes=MAYBE_COUNT,
)  # fmt: skip
_VERDICT: Schema = {"enum": ["right", "wrong", "consequential", "open"]}
_ROW = record(
    row=COUNT, action=_VERDICT, state=_VERDICT, left=maybe(named("Cell")), right=maybe(named("Cell")),
    differs=listed(named("Difference")), depth=COUNT, lines=listed(COUNT), over=MAYBE_COUNT,
    out=MAYBE_COUNT, back_over=MAYBE_COUNT, back_out=MAYBE_COUNT,
)  # fmt: skip
_AT = record(step=COUNT, event=TEXT, line=MAYBE_COUNT, file=MAYBE_TEXT, frame=MAYBE_COUNT)
_KEY = record(at=maybe(_AT), frames={"type": "object"}, state={"type": "object"}, output=TEXT)
_SPAN: Schema = {"type": "array", "minItems": 3, "maxItems": 3}  # start, end, what it is
_PROGRAM = record(
    name=TEXT, source=TEXT, call=MAYBE_TEXT, argv=listed(TEXT), stdin=TEXT, runnable=listed(COUNT),
    syntax=listed(listed(_SPAN)), language=TEXT,
    natives=record(words={"type": "object"}, kinds={"type": "object"}, objects={"type": "object"}),
    unavailable={"type": "object"},
)  # fmt: skip
_ENDING: Schema = {"type": ["array", "null"], "items": {"type": ["string", "null"]}}  # an event and its value
_ANSWER = record(truth=_ENDING, found=_ENDING, right=MAYBE_FLAG)
_CAUSE = record(name=TEXT, detail={}, operation={}, type={}, evidence={})
_COST = record(
    prompt_bytes=COUNT, truth_bytes=MAYBE_COUNT, found_bytes=COUNT, tokenizer=MAYBE_TEXT, prompt_tokens=MAYBE_COUNT,
    truth_tokens=MAYBE_COUNT, found_tokens=MAYBE_COUNT, limit=COUNT, status=TEXT,
)  # fmt: skip
_BRANCH = record(
    id=COUNT, parent=MAYBE_COUNT, intervention=maybe({"type": "object"}),
    status={"enum": ["running", "done", "failed", "stopped"]}, note=TEXT, why=TEXT, at=COUNT,
    program=maybe(named("Program")), rows=COUNT, first=MAYBE_COUNT, answer=named("Answer"),
    cause=maybe(named("Cause")), cost=named("Cost"),
)  # fmt: skip
_SESSION = record(
    name=TEXT, model=TEXT, other_model=MAYBE_TEXT, codec={"enum": list(NOTATIONS)}, program=named("Program"),
    branches=listed(named("Branch")), sides=listed({"enum": ["truth", "found", "other"]}), at=COUNT, run=TEXT,
    previous=MAYBE_COUNT, next=MAYBE_COUNT,
)  # fmt: skip
_RUN = record(
    id=TEXT,
    name=TEXT,
    suite=MAYBE_TEXT,
    model=MAYBE_TEXT,
    samples=COUNT,
    live=FLAG,
    config={"type": "object"},
    settings=listed({"type": "array", "minItems": 2, "maxItems": 2}),
    written=MAYBE_NUMBER,
)
_SAMPLE = record(
    at=COUNT, name=TEXT, suite=MAYBE_TEXT, call=MAYBE_TEXT, cause=MAYBE_TEXT, operation=MAYBE_TEXT, type=MAYBE_TEXT,
    steps=MAYBE_COUNT, agreed=MAYBE_COUNT, depth=MAYBE_COUNT, bytes=MAYBE_COUNT, answer=MAYBE_FLAG, trace=MAYBE_FLAG,
    status=TEXT, other=maybe(record(answer=MAYBE_FLAG, trace=MAYBE_FLAG, cause=MAYBE_TEXT)),
)  # fmt: skip
_FLIPS = record(
    gained=COUNT, lost=COUNT, both=COUNT, neither=COUNT, p=MAYBE_NUMBER, only={"type": "array", "maxItems": 2}
)
_BIN: Schema = {"type": "array", "minItems": 5, "maxItems": 5}

SCHEMAS: dict[str, Schema] = {
    "Error": closed({"error": closed({"slug": TEXT, "message": TEXT})}),
    "Share": _SHARE, "Bucket": _BUCKET, "Difference": _DIFFERENCE, "Cell": _CELL, "Row": _ROW, "Key": _KEY,
    "Program": _PROGRAM, "Answer": _ANSWER, "Cause": _CAUSE, "Cost": _COST, "Branch": _BRANCH, "Scene": _SESSION,
    "Runs": record(runs=listed(_RUN), models=listed(TEXT), live=FLAG),
    "Overview": record(
        n=COUNT, answer=named("Share"), trace=named("Share"),
        by=record(**{name: listed(named("Bucket")) for name in _BY}), flips=maybe(_FLIPS),
    ),
    "Samples": record(total=COUNT, samples=listed(_SAMPLE)),
    "Timeline": record(
        rows=COUNT, per=COUNT, first=MAYBE_COUNT, bins=listed(_BIN), lines=listed(listed(COUNT)),
        stops=listed({"type": "array", "minItems": 2, "maxItems": 2}),
    ),
    "Chunk": record(first=COUNT, rows=listed(named("Row")), left=named("Key"), right=named("Key")),
    "Grown": closed({"branch": COUNT}),
    "Stopped": closed({"branch": COUNT, "status": TEXT}),
    "Typed": closed({"run": {"const": "live"}, "at": COUNT}),
    "Progress": closed(
        {"stage": TEXT, "bytes": COUNT, "steps": COUNT, "rows": COUNT, "note": TEXT, "ahead": COUNT}
    ),
    "Event": record(event={"enum": ["progress", "done"]}, data=TEXT),
    "Description": {"type": "object"},
}  # fmt: skip
