"""Arrow schemas of a dataset of recorded calls, and the conversion of each row.

The `trace` column is a struct with exactly the fields of a row of traces, so that `data.rows` encodes and decodes
it. Importing this module imports pyarrow, so `dataset` imports it late.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from worldline.codec.encode import encode as encode_text
from worldline.core.errors import FormatError, WorldlineError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.repository.recorded_test import Instance, RecordedCall
from worldline.core.trace import Columns, InterpreterInfo, Outcome, Trace
from worldline.data import rows
from worldline.data.repository.stored import InstanceRow, LeftOutFunction, TestRow
from worldline.storage.arrow import pa, pc

# Longer texts are not stored.
MAX_NOTATION_BYTES = 1 << 20
_TEXT, _TEXTS, _SECONDS = rows.TEXT, pa.list_(pa.field("element", rows.TEXT, nullable=False)), pa.float64()
_TRACE = pa.struct(list(rows.SCHEMA))
_METADATA = {"worldline.calls": "1"}
# Steps of traces as dictionaries: `rows.DICTIONARIES`.
DICTIONARIES = [f"trace.{path}" for path in rows.DICTIONARIES]


def _schema(nullable: Collection[str] = (), **kinds: Any) -> Any:
    fields = [pa.field(name, kind, nullable=name in nullable) for name, kind in kinds.items()]
    return pa.schema(fields, metadata=_METADATA)


def call_schema(notations: Sequence[str]) -> Any:
    """Return the columns of calls, with a text column for each notation."""
    texts = dict.fromkeys(notations, _TEXT)
    names = ("instance_id", "test_id", "function", "call", "outcome")
    return _schema(notations, **dict.fromkeys(names, _TEXT), trace=_TRACE, **texts)


TEST_SCHEMA = _schema(
    ("trace",),
    **dict.fromkeys(("instance_id", "test_id", "outcome", "plain", "message"), _TEXT),
    **dict.fromkeys(("seconds", "plain_seconds"), _SECONDS),
    **dict.fromkeys(("steps", "calls"), rows.U32),
    **dict.fromkeys(("notes", "affected"), _TEXTS),
    trace=_TRACE,
)
_LEFT_OUT = pa.struct(
    [
        pa.field(name, kind, nullable=False)
        for name, kind in {
            "function": _TEXT,
            "other": _TEXT,
            "share": pa.float64(),
            "why": _TEXT,
            "calls": rows.U32,
        }.items()
    ]
)
INSTANCE_SCHEMA = _schema(
    **dict.fromkeys(("instance_id", "name", "revision", "licence", "licence_text", "unit"), _TEXT),
    notes=_TEXTS,
    **dict.fromkeys(("seconds", "plain_seconds"), _SECONDS),
    left_out=pa.list_(pa.field("element", _LEFT_OUT, nullable=False)),
)
# Stands where a test has no trace; its row says null.
_NO_TRACE = Trace(
    program=Program(source=""),
    interpreter=InterpreterInfo("", "", ""),
    limits=Limits(),
    outcome=Outcome("returned"),
    columns=Columns(),
    frames=[],
)


def schema_of(stem: str, notations: Sequence[str]) -> Any:
    """Return the columns of the shards of a stem."""
    return {"calls": call_schema(notations), "tests": TEST_SCHEMA, "instances": INSTANCE_SCHEMA}[stem]


def encode_call(call: RecordedCall, notations: Sequence[str]) -> Any:
    """Encode a call as a table of one row; raise FormatError if it cannot be stored."""
    outcome = call.trace.outcome
    facts: dict[str, Any] = {
        "instance_id": call.instance_id,
        "test_id": call.test_id,
        "function": call.function,
        "call": call.call,
        "outcome": f"{outcome.kind} {outcome.detail}" if outcome.detail else outcome.kind,
        **{name: notation_text(call.trace, name) for name in notations},
    }
    return _table(facts, call_schema(notations), trace=_encode_trace(call.trace))


def notation_text(trace: Trace, notation: str, *, max_bytes: int = MAX_NOTATION_BYTES) -> str | None:
    """Write a trace in a notation; None if the notation cannot write it, or it is too long."""
    # A step has at least a mark and a newline.
    if 2 * len(trace) > max_bytes:
        return None
    try:
        text = encode_text(trace, notation)
        return text.decode() if len(text) <= max_bytes else None
    except (WorldlineError, ValueError, LookupError, RecursionError):
        return None


def encode_test(test: TestRow, trace: Trace | None) -> Any:
    """Encode a test as a table of one row."""
    facts = {**asdict(test), "notes": list(test.notes), "affected": list(test.affected)}
    return _table(facts, TEST_SCHEMA, trace=_encode_trace(trace))


def encode_instance(row: InstanceRow) -> Any:
    """Encode a recording as a table of one row."""
    instance = {name: value for name, value in asdict(row.instance).items() if name in INSTANCE_SCHEMA.names}
    facts = {**asdict(row), **instance, "instance_id": row.instance.id, "notes": list(row.notes)}
    del facts["instance"]
    return _table({**facts, "left_out": [asdict(item) for item in row.left_out]}, INSTANCE_SCHEMA)


def _encode_trace(trace: Trace | None) -> Any:
    """A trace as a struct, or null."""
    columns = [chunked.combine_chunks() for chunked in rows.encode(_NO_TRACE if trace is None else trace).columns]
    mask = pa.array([trace is None]) if trace is None else None
    return pa.StructArray.from_arrays(columns, fields=list(rows.SCHEMA), mask=mask)


def _table(facts: dict[str, Any], schema: Any, **arrays: Any) -> Any:
    try:
        columns = [
            arrays[name] if name in arrays else pa.array([_encodable(facts[name])], schema.field(name).type)
            for name in schema.names
        ]
    except (pa.ArrowException, ValueError, OverflowError, TypeError) as error:
        raise FormatError(f"the row cannot be stored: {error}") from error
    return pa.Table.from_arrays(columns, schema=schema)


def _encodable(value: Any) -> Any:
    """Texts with U+FFFD for each lone surrogate."""
    if isinstance(value, str):
        return rows.encodable(value)
    if isinstance(value, list):
        return [_encodable(item) for item in value]
    return {name: _encodable(item) for name, item in value.items()} if isinstance(value, dict) else value


def decode_calls(batch: Any) -> Iterable[RecordedCall]:
    """Yield the calls of a record batch."""
    traces = pa.RecordBatch.from_struct_array(batch.column("trace"))
    facts = [batch.column(name).to_pylist() for name in ("instance_id", "test_id", "function")]
    for row, (instance_id, test_id, function) in enumerate(zip(*facts, strict=True)):
        trace = rows.decode(traces, row)
        yield RecordedCall(instance_id=instance_id, test_id=test_id, function=function, trace=trace)


def decode_tests(batch: Any) -> Iterable[TestRow]:
    """Yield the tests of a record batch, which may lack the traces."""
    names = [name for name in TEST_SCHEMA.names if name != "trace"]
    for row in batch.select(names).to_pylist():
        yield TestRow(**{**row, "notes": tuple(row["notes"]), "affected": tuple(row["affected"])})


def decode_test_traces(batch: Any) -> Iterable[Trace | None]:
    """Yield the trace of each test of a record batch, or None."""
    column = batch.column("trace")
    present = column.is_valid().to_pylist()
    # The fields themselves: where a test has no trace, they hold nothing that is decoded.
    fields = [column.field(number) for number in range(column.type.num_fields)]
    traces = pa.RecordBatch.from_arrays(fields, names=rows.SCHEMA.names)
    for row, is_present in enumerate(present):
        yield rows.decode(traces, row) if is_present else None


def decode_instances(batch: Any) -> Iterable[InstanceRow]:
    """Yield the recordings of a record batch."""
    for row in batch.to_pylist():
        names = ("name", "revision", "licence", "licence_text")
        instance = Instance(**{name: row.pop(name) for name in names})
        if instance.id != row.pop("instance_id"):
            raise FormatError("an instance does not match its id")
        left_out = tuple(LeftOutFunction(**item) for item in row.pop("left_out"))
        yield InstanceRow(**{**row, "instance": instance, "notes": tuple(row["notes"]), "left_out": left_out})


def count_steps(table: Any) -> int:
    """Count the steps of the traces in a table."""
    if "trace" not in table.column_names:
        return 0
    lengths = [
        pc.sum(pc.list_value_length(chunk.field("steps"))).as_py() or 0 for chunk in table.column("trace").chunks
    ]
    return sum(lengths)


def as_table(batch: Any) -> Any:
    """Return a record batch as a table."""
    return pa.Table.from_batches([batch])


def filtered(table: Any, mask: Sequence[bool]) -> Any:
    """Return the rows of a table whose mask is set."""
    return table if all(mask) else table.filter(pa.array(mask, pa.bool_()))


def select(batch: Any, keys: Collection[tuple[str, str]]) -> Any:
    """Return the rows of a record batch that belong to these tests, as a table."""
    rows_of = zip(batch.column("instance_id").to_pylist(), batch.column("test_id").to_pylist(), strict=True)
    return filtered(as_table(batch), [key in keys for key in rows_of])


def call_paths(table: Any) -> Iterator[tuple[str, bytes]]:
    """Yield the function of each call in a table, and a digest of its path: the lines of its own frame."""
    for batch in table.to_batches():
        steps = batch.column("trace").field("steps")
        for row, function in enumerate(batch.column("function").to_pylist()):
            values = steps[row].values
            own = pc.equal(values.field("frame"), 0)
            path = [values.field(name).filter(own).to_pylist() for name in ("event", "line")]
            yield function, hashlib.sha256(repr(path).encode()).digest()
