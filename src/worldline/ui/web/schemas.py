"""JSON Schemas of the API: request bodies, which `schema_check` checks, and answers.

Answers have at least these fields. Paths and statuses are in `endpoints`.
"""

from __future__ import annotations

from typing import Any

from worldline.codec.names import NOTATIONS
from worldline.core.language import LANGUAGES
from worldline.ui.session.quiz.judge import MAX_TYPED_CHARS
from worldline.ui.session.quiz.question import QUESTION_KINDS

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
OBJECT: Schema = {"type": "object"}
COUNT: Schema = {"type": "integer", "minimum": 0}
PLACE: Schema = {"type": "integer", "minimum": 0, "maximum": 999_999_999}
MAYBE_TEXT: Schema = {"type": ["string", "null"]}
MAYBE_FLAG: Schema = {"type": ["boolean", "null"]}
MAYBE_COUNT: Schema = {"type": ["integer", "null"]}
MAYBE_NUMBER: Schema = {"type": ["number", "null"]}
MAYBE_SHARE: Schema = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
MAX_SOURCE_CHARS = 100_000  # of a typed program
MAX_STDIN_CHARS = 50_000


def listed(items: Schema) -> Schema:
    """Return the schema of an array."""
    return {"type": "array", "items": items}


def sized(length: int) -> Schema:
    """Return the schema of an array of a fixed length."""
    return {"type": "array", "minItems": length, "maxItems": length}


def named(name: str) -> Schema:
    """Return a reference to a schema of SCHEMAS."""
    return {"$ref": f"#/components/schemas/{name}"}


def maybe(schema: Schema) -> Schema:
    """Return the schema of a value that may be null."""
    return {"anyOf": [schema, {"type": "null"}]}


def fields(names: str, schema: Schema) -> dict[str, Schema]:
    """Return fields of the same schema; their names are separated by spaces."""
    return dict.fromkeys(names.split(), schema)


def record(*groups: dict[str, Schema], **others: Schema) -> Schema:
    """Return the schema of an object that has at least these fields."""
    properties = {name: schema for group in (*groups, others) for name, schema in group.items()}
    return {"type": "object", "required": list(properties), "properties": properties}


def closed(required: dict[str, Schema], **optional: Schema) -> Schema:
    """Return the schema of an object with no other fields than these."""
    return {
        "type": "object",
        "required": list(required),
        "properties": {**required, **optional},
        "additionalProperties": False,
    }


STEP: Schema = {"type": "integer", "minimum": 0, "maximum": 1 << 40}
LINE: Schema = {"type": "integer", "minimum": 1, "maximum": 1 << 31}
_NAME: Schema = {"type": "string", "minLength": 1, "maxLength": 200}
_NEW_VALUE: Schema = {"type": ["string", "null"], "maxLength": 20_000}
_BUDGET: Schema = {"type": "integer", "minimum": 1, "maximum": 1 << 22}
_REWRITING: Schema = {"type": "string", "pattern": "^[a-z]{1,30}$"}
INTERVENTION: Schema = {
    "oneOf": [
        closed({"kind": {"const": "edit"}, "step": STEP, "name": _NAME, "value": _NEW_VALUE}),
        closed({"kind": {"const": "line"}, "step": STEP, "line": LINE}),
        closed({"kind": {"const": "budget"}, "limit": _BUDGET}),
        closed({"kind": {"const": "rewrite"}, "how": _REWRITING}),
    ]
}
BRANCH_BODY: Schema = closed({"intervention": INTERVENTION}, parent=PLACE)
PROGRAM_BODY: Schema = closed(
    {"source": {"type": "string", "maxLength": MAX_SOURCE_CHARS}},
    call={"type": ["string", "null"], "maxLength": 10_000},
    stdin={"type": "string", "maxLength": MAX_STDIN_CHARS},
    language={"enum": list(LANGUAGES)},
    model={"type": "string", "maxLength": 200},
)
ANSWER_BODY: Schema = closed({"answer": {"type": ["string", "null"], "maxLength": MAX_TYPED_CHARS}})

_SHARE = record(fields("some n", COUNT), fields("low high", MAYBE_NUMBER))
_BUCKET = record(fields("answer trace", named("Share")), label=TEXT, filter=OBJECT, n=COUNT)
_BY = "horizon depth type cause suite ending"
_DIFFERENCE = record(fields("name wanted got", MAYBE_TEXT), fields("path at", {}), what=TEXT)
_PLACE_OF_STEP = {**fields("line frame", MAYBE_COUNT), "step": COUNT, "event": TEXT, "file": MAYBE_TEXT}
_CELL = record(
    _PLACE_OF_STEP,
    fields("arg printed", MAYBE_TEXT),
    fields("sure sure_action sure_state", MAYBE_SHARE),
    changes=listed(sized(3)),
    bytes=MAYBE_COUNT,
)
_ROW = record(
    fields("action state", {"enum": ["right", "wrong", "consequential", "open"]}),
    fields("left right", maybe(named("Cell"))),
    fields("row depth", COUNT),
    fields("over out back_over back_out", MAYBE_COUNT),
    differs=listed(named("Difference")),
    lines=listed(COUNT),
)
_KEY = record(fields("frames state", OBJECT), at=maybe(record(_PLACE_OF_STEP)), output=TEXT)
_PROGRAM = record(
    fields("name source stdin language", TEXT),
    call=MAYBE_TEXT,
    argv=listed(TEXT),
    runnable=listed(COUNT),
    syntax=listed(listed(sized(3))),  # start, end, kind
    natives=record(fields("words kinds objects", OBJECT)),
    unavailable=OBJECT,
)
_ENDING: Schema = {"type": ["array", "null"], "items": MAYBE_TEXT}  # an event and its value
_ANSWER = record(fields("truth found", _ENDING), right=MAYBE_FLAG)
_CAUSE = record(fields("detail operation type evidence", {}), name=TEXT)
_COST = record(
    fields("prompt_bytes found_bytes limit", COUNT),
    fields("truth_bytes prompt_tokens truth_tokens found_tokens", MAYBE_COUNT),
    tokenizer=MAYBE_TEXT,
    status=TEXT,
)
_BRANCH = record(
    fields("id at rows", COUNT),
    fields("parent first", MAYBE_COUNT),
    fields("note why", TEXT),
    intervention=maybe(OBJECT),
    status={"enum": ["running", "done", "failed", "stopped"]},
    program=maybe(named("Program")),
    answer=named("Answer"),
    cause=maybe(named("Cause")),
    cost=maybe(named("Cost")),
)
_SESSION = record(
    fields("name model run", TEXT),
    fields("previous next", MAYBE_COUNT),
    other_model=MAYBE_TEXT,
    codec={"enum": list(NOTATIONS)},
    program=named("Program"),
    branches=listed(named("Branch")),
    sides=listed({"enum": ["truth", "found", "other"]}),
    at=COUNT,
)
_RUN = record(
    fields("id name", TEXT),
    fields("suite model", MAYBE_TEXT),
    samples=COUNT,
    live=FLAG,
    config=OBJECT,
    settings=listed(sized(2)),
    written=MAYBE_NUMBER,
)
_VERDICT = {**fields("answer trace", MAYBE_FLAG), "cause": MAYBE_TEXT}
_SAMPLE = record(
    _VERDICT,
    fields("name status", TEXT),
    fields("suite call operation type", MAYBE_TEXT),
    fields("steps agreed depth bytes", MAYBE_COUNT),
    at=COUNT,
    other=maybe(record(_VERDICT)),
)
_FLIPS = record(fields("gained lost both neither", COUNT), p=MAYBE_NUMBER, only={"type": "array", "maxItems": 2})
_OPERAND = record(fields("wanted got", MAYBE_TEXT), text=TEXT, is_wrong=FLAG)
_LINK = record(
    fields("wanted got file", MAYBE_TEXT),
    fields("truth found line true_line feeds", MAYBE_COUNT),
    fields("kind name function operation text note place verb", TEXT),
    fields("is_origin is_wrong", FLAG),
    fields("row times", COUNT),
    operands=listed(_OPERAND),
)
_RUN_ROW = record(
    fields("row frame depth", COUNT),
    fields("over out back_over back_out line", MAYBE_COUNT),
    fields("frames boxes", listed(COUNT)),
    event=TEXT,
    file=MAYBE_TEXT,
    next=maybe(sized(2)),
    changed=OBJECT,
)
_RUN_FRAME = record(frame=COUNT, function=TEXT, file=MAYBE_TEXT, line=MAYBE_COUNT, names=listed(sized(4)))
_RUN_BOX = record(fields("id kind title", TEXT), parts=listed(sized(2)), more=COUNT)

SCHEMAS: dict[str, Schema] = {
    "Error": closed({"error": closed(fields("slug message", TEXT))}),
    "Share": _SHARE,
    "Bucket": _BUCKET,
    "Difference": _DIFFERENCE,
    "Cell": _CELL,
    "Row": _ROW,
    "Key": _KEY,
    "Program": _PROGRAM,
    "Answer": _ANSWER,
    "Cause": _CAUSE,
    "Cost": _COST,
    "Branch": _BRANCH,
    "Scene": _SESSION,
    "Runs": record(runs=listed(_RUN), models=listed(TEXT), live=FLAG, quizzes=COUNT),
    "Overview": record(
        fields("answer trace", named("Share")),
        n=COUNT,
        by=record(fields(_BY, listed(named("Bucket")))),
        flips=maybe(_FLIPS),
    ),
    "Samples": record(total=COUNT, samples=listed(_SAMPLE)),
    "Timeline": record(
        fields("rows per", COUNT),
        first=MAYBE_COUNT,
        bins=listed(sized(5)),
        lines=listed(listed(COUNT)),
        stops=listed(sized(2)),
    ),
    "Chunk": record(fields("left right", named("Key")), first=COUNT, rows=listed(named("Row"))),
    "RunOverview": record(
        fields("rows chunk per left_out", COUNT),
        fields("depths lines differing", listed(COUNT)),
        fields("texts names ids", listed(TEXT)),
        changes=listed(sized(4)),
        objects=listed(sized(3)),
        printed=listed(sized(3)),
        stderr=TEXT,
        ending=maybe(sized(2)),
    ),
    "RunChunk": record(first=COUNT, rows=listed(_RUN_ROW), frames=listed(_RUN_FRAME), boxes=listed(_RUN_BOX)),
    "Why": record(
        fields("wanted got", MAYBE_TEXT), name=TEXT, is_wrong=FLAG, links=listed(_LINK), notes=listed(TEXT), more=COUNT
    ),
    "Quiz": record(
        fields("quiz questions", COUNT),
        fields("name note language help", TEXT),
        model=MAYBE_TEXT,
        status={"enum": ["recording", "ready", "failed"]},
        program=named("Program"),
    ),
    "Question": record(
        fields("number step line", COUNT),
        fields("text function subject output", TEXT),
        kind={"enum": list(QUESTION_KINDS)},
        file=MAYBE_TEXT,
        lines=listed(MAYBE_COUNT),
        scene=OBJECT,
    ),
    "Judged": record(
        number=COUNT, status={"enum": ["right", "wrong", "malformed", "revealed"]}, note=TEXT, answer=MAYBE_TEXT
    ),
    "Grown": closed({"branch": COUNT}),
    "Stopped": closed({"branch": COUNT, "status": TEXT}),
    "Typed": closed({"run": {"const": "live"}, "at": COUNT}),
    "Progress": closed({**fields("stage note", TEXT), **fields("bytes steps rows ahead", COUNT)}),
    "Event": record(event={"enum": ["progress", "done"]}, data=TEXT),
    "Description": OBJECT,
}
