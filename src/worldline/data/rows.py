"""Encode a trace as one row of a parquet shard, and decode it: the Arrow schema and both conversions.

Steps move between the trace's flat columns and Arrow without an object per step. Importing this module
imports pyarrow, so `shards` imports it late.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from worldline.core.errors import DigestError, FormatError, UsageError
from worldline.core.events import EVENTS, OUTCOMES
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.texts.spliced import SplicedTexts, SpliceTable
from worldline.core.trace import NO_TEXT, Columns, Frame, Hidden, InterpreterInfo, Outcome, Trace
from worldline.storage.arrow import pa, pc

# Numbers and texts in one row.
MAX_VALUES = 1 << 27
# Bytes of text in one row, every occurrence counted: Arrow's strings end at 2 GiB.
MAX_TEXT = 1 << 30
# The field of `exact` that says which values of `delta` are only the middle of a splice.
SPLICES = "steps.splices"
# The field of `exact` with the flags of a program that has any, as JSON: the schema has no column for them.
FLAGS = "program.flags"
LIMIT_FIELDS = ("steps", "value_bytes", "value_depth", "trace_bytes", "memory", "processes", "output", "disk")


def _field(name: str, kind: Any, *, null: bool = False) -> Any:
    return pa.field(name, kind, nullable=null)


def _struct(**kinds: Any) -> Any:
    return pa.struct([_field(name, kind) for name, kind in kinds.items()])


def _list(kind: Any) -> Any:
    return pa.list_(_field("element", kind))


TEXT, U32, I64 = pa.string(), pa.uint32(), pa.int64()
CHANGE = _struct(name=TEXT, value=TEXT)
SAME = pa.struct([_field("name", TEXT), _field("other", TEXT, null=True)])
STEP_FIELDS = [
    _field("i", U32),
    _field("event", TEXT),
    _field("frame", U32),
    _field("depth", U32),
    _field("line", U32),
    _field("delta", _list(CHANGE)),
    _field("gone", _list(TEXT)),
    _field("same", _list(SAME)),
    _field("arg", TEXT, null=True),
]
PROGRAM = pa.struct(
    [
        _field("source", TEXT),
        _field("name", TEXT),
        _field("call", TEXT, null=True),
        _field("argv", _list(TEXT)),
        _field("stdin", TEXT),
        _field("files", _list(_struct(path=TEXT, text=TEXT))),
    ]
)
SCHEMA = pa.schema(
    [
        _field("digest", TEXT),
        _field("program", PROGRAM),
        _field("interpreter", _struct(name=TEXT, version=TEXT, core=TEXT)),
        _field("limits", _struct(**dict.fromkeys(LIMIT_FIELDS, I64), wall=pa.float64())),
        _field("outcome", _struct(kind=TEXT, detail=TEXT)),
        _field("frames", _list(_struct(serial=U32, name=TEXT, file=TEXT, parent=I64, depth=U32))),
        _field("steps", _list(pa.struct(STEP_FIELDS))),
        _field("output", TEXT),
        _field("stderr", TEXT),
        _field("hidden", _list(_struct(step=U32, kind=TEXT, value=TEXT))),
        _field("notes", _list(TEXT)),
        _field("exact", _list(_struct(field=TEXT, data=pa.binary()))),
    ],
    metadata={"worldline.format": "1"},
)
# Read as dictionaries: a text that occurs a million times is stored once.
DICTIONARIES = [
    f"steps.list.element.{path}"
    for path in (
        "event",
        "arg",
        "gone.list.element",
        "delta.list.element.name",
        "delta.list.element.value",
        "same.list.element.name",
        "same.list.element.other",
    )
]


def encode(trace: Trace) -> Any:
    """Encode a trace as a table of one row; raise FormatError if it cannot be stored."""
    try:
        trace, splices = _without_splices(trace)
        row, exact = _encode_facts(trace)
        exact |= splices | _encode_flags(trace.program)
        row["exact"] = [{"field": field, "data": data} for field, data in exact.items()]
        columns = [
            _encode_steps(trace) if name == "steps" else pa.array([row[name]], SCHEMA.field(name).type)
            for name in SCHEMA.names
        ]
    except (pa.ArrowException, ValueError, OverflowError, TypeError) as error:
        raise FormatError(f"{trace.program.name}: the trace cannot be stored: {error}") from error
    return pa.Table.from_arrays(columns, schema=SCHEMA)


def _encode_flags(program: Program) -> dict[str, bytes]:
    if not program.flags and not program.vm_flags:
        return {}
    return {FLAGS: json.dumps({"flags": program.flags, "vm_flags": program.vm_flags}).encode()}


def _with_flags(program: Program, data: bytes) -> Program:
    """Restore the flags of a row; raise ValueError if they are not lists of texts."""
    flags = json.loads(data)
    _require(isinstance(flags, dict) and set(flags) == {"flags", "vm_flags"}, FLAGS)
    for texts in flags.values():
        _require(isinstance(texts, list) and all(isinstance(text, str) for text in texts), FLAGS)
    return replace(program, flags=tuple(flags["flags"]), vm_flags=tuple(flags["vm_flags"]))


def _without_splices(trace: Trace) -> tuple[Trace, dict[str, bytes]]:
    """Return a trace whose texts are all literal, of a splice the middle, and the splices as a field of `exact`."""
    columns = trace.columns
    texts = columns.texts
    if not isinstance(texts, SplicedTexts):
        return trace, {}
    places: dict[int, list[int]] = {}
    for at, number in enumerate(number for number in columns.change_value if number != NO_TEXT):
        places.setdefault(number, []).append(at)
    pieces, rows = list(texts.pieces), array("I")
    named = {*columns.change_name, *columns.same_name, *columns.same_value, *columns.arg}
    # In the order of the numbers, so that a base comes before what was made of it.
    for place, number in enumerate(texts.spliced):
        base = places.get(texts.base[place])
        if base is None or number in named:
            pieces[number] = texts[number]
            continue
        for at in places.get(number, ()):
            rows.extend((at, base[0], texts.prefix[place], texts.suffix[place]))
    return replace(trace, columns=replace(columns, texts=pieces)), {SPLICES: _little_endian(rows).tobytes()}


def _little_endian(numbers: array[int]) -> array[int]:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _with_splices(columns: Columns, data: bytes) -> Columns:
    """Restore the splices of a row; raise ValueError if they are none that a recorder writes."""
    rows = array("I")
    rows.frombytes(data)
    rows = _little_endian(rows)
    _require(len(rows) % 4 == 0, SPLICES)
    changes = [at for at, number in enumerate(columns.change_value) if number != NO_TEXT]
    table, waiting = SpliceTable(), set(rows[::4])
    table.pieces.extend(columns.texts)
    values = array("I", columns.change_value)
    for at, base, prefix, suffix in zip(*(rows[start::4] for start in range(4)), strict=True):
        _require(at in waiting and base not in waiting and max(at, base) < len(changes), SPLICES)
        waiting.remove(at)
        number = table.splice(values[changes[base]], prefix, suffix, columns.texts[values[changes[at]]])
        _require(number is not None, SPLICES)
        values[changes[at]] = number or 0
    return replace(columns, change_value=values, texts=table.texts())


def _encode_facts(trace: Trace) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Everything but the steps, and the exact bytes of texts that are not UTF-8, by field."""
    exact: dict[str, bytes] = {}

    def plain(field: str, text: str) -> str:
        data = text.encode("utf-8", "surrogatepass")
        shown = encodable(text)
        if shown is not text:
            exact[field] = data
        return shown

    return _encode_texts(trace, plain), exact


def encodable(text: str) -> str:
    """Return a text as a column stores it: with U+FFFD for each lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text


def _encode_texts(trace: Trace, plain: Callable[[str, str], str]) -> dict[str, Any]:
    program, outcome = trace.program, trace.outcome
    return {
        "digest": program.digest,
        "program": {
            "source": plain("program.source", program.source),
            "name": plain("program.name", program.name),
            "call": None if program.call is None else plain("program.call", program.call),
            "argv": [plain(f"program.argv.{n}", text) for n, text in enumerate(program.argv)],
            "stdin": plain("program.stdin", program.stdin),
            "files": [
                {"path": plain(f"program.files.{n}.path", path), "text": plain(f"program.files.{n}.text", text)}
                for n, (path, text) in enumerate(program.files)
            ],
        },
        "interpreter": dict(trace.interpreter.__dict__),
        "limits": dict(trace.limits.__dict__),
        "outcome": {"kind": outcome.kind, "detail": plain("outcome.detail", outcome.detail)},
        "frames": [dict(frame.__dict__) for frame in trace.frames],
        "output": plain("output", trace.output),
        "stderr": plain("stderr", trace.stderr),
        "hidden": [
            {"step": hidden.step, "kind": hidden.kind, "value": plain(f"hidden.{n}.value", hidden.value)}
            for n, hidden in enumerate(trace.hidden)
        ],
        "notes": [plain(f"notes.{n}", note) for n, note in enumerate(trace.notes)],
    }


def _to_arrow(column: array[int]) -> Any:
    return pa.Array.from_buffers(U32, len(column), [None, pa.py_buffer(column)])


def _encode_steps(trace: Trace) -> Any:
    """The step columns as one list of structs."""
    columns, texts = trace.columns, pa.array(trace.columns.texts, TEXT)
    _check_size(texts, columns)
    frame, event = _to_arrow(columns.frame), pa.array(columns.event, pa.uint8())
    depth = pa.array([frame.depth for frame in trace.frames], U32)
    at, value = _to_arrow(columns.change_at), _to_arrow(columns.change_value)
    bound = pc.not_equal(value, pa.scalar(NO_TEXT, U32))
    bound_before = pa.concat_arrays([pa.array([0], U32), pc.cumulative_sum(bound.cast(U32))])
    delta_at = bound_before.take(at)
    name = _to_arrow(columns.change_name)
    change = _to_structs(CHANGE, texts.take(name.filter(bound)), texts.take(value.filter(bound)))
    gone = texts.take(name.filter(pc.invert(bound)))
    same = _to_structs(
        SAME, texts.take(_to_arrow(columns.same_name)), _take_texts(texts, _to_arrow(columns.same_value))
    )
    fields = [
        pa.array(range(len(columns)), U32),
        pa.array(EVENTS, TEXT).take(event),
        frame,
        depth.take(frame),
        _to_arrow(columns.line),
        _to_lists(delta_at, change),
        _to_lists(pc.subtract(at, delta_at), gone),
        _to_lists(_to_arrow(columns.same_at), same),
        _take_texts(texts, _to_arrow(columns.arg)),
    ]
    steps = pa.StructArray.from_arrays(fields, fields=STEP_FIELDS)
    return _to_lists(pa.array([0, len(columns)], U32), steps)


def _check_size(texts: Any, columns: Columns) -> None:
    """Raise ValueError if Arrow's strings cannot hold the texts."""
    values = 12 * len(columns) + 3 * len(columns.change_name) + 3 * len(columns.same_name)
    if values > MAX_VALUES:
        raise ValueError(f"{len(columns)} steps are more than one row holds")
    # Nearly always true, so that sizes need not be counted.
    if 4 * max(map(len, columns.texts), default=0) * values <= MAX_TEXT:
        return
    sizes, total = pc.binary_length(texts), 0
    for column in (columns.change_name, columns.change_value, columns.same_name, columns.same_value, columns.arg):
        total += pc.sum(_take_texts(sizes, _to_arrow(column))).as_py() or 0
    if total > MAX_TEXT:
        raise ValueError(f"{total} bytes of values are more than one row holds ({MAX_TEXT})")


def _take_texts(texts: Any, ids: Any) -> Any:
    """Texts of these ids; null for NO_TEXT."""
    return texts.take(pc.if_else(pc.equal(ids, pa.scalar(NO_TEXT, U32)), pa.scalar(None, U32), ids))


def _to_structs(kind: Any, *columns: Any) -> Any:
    return pa.StructArray.from_arrays(list(columns), fields=list(kind))


def _to_lists(at: Any, values: Any) -> Any:
    return pa.ListArray.from_arrays(at.cast(pa.int32()), values, type=_list(values.type))


def decode(batch: Any, row: int) -> Trace:
    """Decode one row of a record batch; raise FormatError or DigestError if it is damaged."""
    try:
        trace = _decode(batch, row)
    except (pa.ArrowException, ValueError, LookupError, OverflowError, TypeError, UsageError) as error:
        raise FormatError(f"row {row}: not a valid trace: {error}") from error
    if trace.program.digest != batch.column("digest")[row].as_py():
        raise DigestError(f"row {row}: the program does not match its digest")
    return trace


def _decode(batch: Any, row: int) -> Trace:
    facts = {name: batch.column(name)[row].as_py() for name in SCHEMA.names if name != "steps"}
    exact, splices, flags = dict[str, str](), b"", b""
    for pair in facts["exact"]:
        if pair["field"] == SPLICES:
            splices = pair["data"]
        elif pair["field"] == FLAGS:
            flags = pair["data"]
        else:
            exact[pair["field"]] = pair["data"].decode("utf-8", "surrogatepass")

    def text(field: str, shown: str) -> str:
        whole: str = exact.pop(field, shown)
        _require(encodable(whole) == shown and (whole is shown or whole != shown), f"{field} and its exact bytes")
        return whole

    frames = [Frame(**frame) for frame in facts["frames"]]
    _require(all(frame.serial == n and -1 <= frame.parent < n for n, frame in enumerate(frames)), "frames")
    columns = _decode_columns(batch.column("steps")[row].values, frames)
    program = _decode_program(facts["program"], text)
    trace = Trace(
        program=_with_flags(program, flags) if flags else program,
        interpreter=InterpreterInfo(**facts["interpreter"]),
        limits=Limits(**facts["limits"]),
        outcome=Outcome(facts["outcome"]["kind"], text("outcome.detail", facts["outcome"]["detail"])),
        columns=_with_splices(columns, splices) if splices else columns,
        frames=frames,
        output=text("output", facts["output"]),
        stderr=text("stderr", facts["stderr"]),
        hidden=tuple(
            Hidden(hidden["step"], hidden["kind"], text(f"hidden.{n}.value", hidden["value"]))
            for n, hidden in enumerate(facts["hidden"])
        ),
        notes=tuple(text(f"notes.{n}", note) for n, note in enumerate(facts["notes"])),
    )
    _require(not exact, "exact bytes of no text")
    _require(trace.outcome.kind in OUTCOMES, "outcome")
    return trace


def _require(holds: Any, field: str) -> None:
    if not holds:
        raise ValueError(field)


def _decode_program(row: dict[str, Any], text: Callable[[str, str], str]) -> Program:
    return Program(
        source=text("program.source", row["source"]),
        name=text("program.name", row["name"]),
        call=None if row["call"] is None else text("program.call", row["call"]),
        argv=tuple(text(f"program.argv.{n}", arg) for n, arg in enumerate(row["argv"])),
        stdin=text("program.stdin", row["stdin"]),
        files=tuple(
            (text(f"program.files.{n}.path", file["path"]), text(f"program.files.{n}.text", file["text"]))
            for n, file in enumerate(row["files"])
        ),
    )


class _TextTable:
    """Distinct texts, numbered by first occurrence."""

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}

    def number(self, column: Any) -> Any:
        """Convert a dictionary array to text ids; NO_TEXT for null."""
        indices = column.indices
        used = pc.unique(indices.drop_null())
        ids = pa.array(
            (self.ids.setdefault(text, len(self.ids)) for text in column.dictionary.take(used).to_pylist()), U32
        )
        return ids.take(pc.index_in(indices, used)).fill_null(NO_TEXT)


def _decode_columns(steps: Any, frames: list[Frame]) -> Columns:
    if steps is None or not len(steps):
        return Columns()
    texts = _TextTable()
    field = dict(zip((f.name for f in STEP_FIELDS), steps.flatten(), strict=True))
    depth = pa.array([frame.depth for frame in frames], U32).take(field["frame"])
    _require(field["i"].equals(pa.array(range(len(steps)), U32)) and depth.equals(field["depth"]), "steps")
    event = pc.index_in(field["event"].cast(TEXT), pa.array(EVENTS, TEXT))
    _require(event.null_count == 0, "event")
    delta, gone, same = field["delta"].flatten(), field["gone"].flatten(), field["same"].flatten()
    name, value = texts.number(delta.field("name")), texts.number(delta.field("value"))
    # Deletions follow the changes of their step.
    if len(gone):
        step = pa.concat_arrays([pc.list_parent_indices(field["delta"]), pc.list_parent_indices(field["gone"])])
        # The sort is stable.
        order = pc.array_sort_indices(step)
        name = pa.concat_arrays([name, texts.number(gone)]).take(order)
        value = pa.concat_arrays([value, pa.array([NO_TEXT] * len(gone), U32)]).take(order)
    return Columns(
        event=bytearray(event.cast(pa.uint8()).to_pylist()),
        frame=_to_array(field["frame"]),
        line=_to_array(field["line"]),
        change_at=_to_array(pc.add(_offsets(field["delta"]), _offsets(field["gone"]))),
        change_name=_to_array(name),
        change_value=_to_array(value),
        same_at=_to_array(_offsets(field["same"])),
        same_name=_to_array(texts.number(same.field("name"))),
        same_value=_to_array(texts.number(same.field("other"))),
        arg=_to_array(texts.number(field["arg"])),
        texts=list(texts.ids),
    )


def _offsets(lists: Any) -> Any:
    at = lists.offsets
    return pc.subtract(at, at[0]).cast(U32)


def _to_array(numbers: Any) -> array[int]:
    out = array("I")
    out.frombytes(memoryview(numbers.buffers()[1])[4 * numbers.offset : 4 * (numbers.offset + len(numbers))])
    return out
