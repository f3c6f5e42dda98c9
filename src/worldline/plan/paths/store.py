"""Stored paths: the traces as shards, and `paths.parquet` with one row per class (docs/reference/format.md, section 6).

A directory may hold the paths of several functions; storing a function again replaces its old paths. The sidecar is
replaced as a whole, after its traces are durable. pyarrow is imported late.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldline.analyze.flow.conditions.jumps import DecisionOutcome
from worldline.core.errors import FormatError, UsageError
from worldline.core.trace import Trace
from worldline.data import shards
from worldline.data.manifest import SIDECAR, fingerprint
from worldline.plan.paths.arcs import Arc
from worldline.plan.paths.path_class import PathClass, PathReport, SolverConditions
from worldline.storage import files

VERSION = "2"
OLD_VERSION = "1"  # its decisions and arcs have a line and no columns
_UNKNOWN = {"column": -1, "end_line": -1, "end_column": -1}
MAX_BYTES = 1 << 30


@dataclass(frozen=True)
class StoredPath:
    """One row: a class, the digest of its program (which names its trace), and the arcs its function still lacks."""

    digest: str
    function: str
    call: str
    found_by: str
    inputs: int
    decisions: tuple[DecisionOutcome, ...]
    solved: tuple[SolverConditions, ...]
    uncovered: tuple[Arc, ...]
    source: str  # sha256 of the source alone


def _schema(version: str = VERSION) -> Any:
    from worldline.storage.arrow import pa

    def struct(**kinds: Any) -> Any:
        return pa.struct([pa.field(name, kind, nullable=False) for name, kind in kinds.items()])

    def several(kind: Any) -> Any:
        return pa.list_(pa.field("element", kind, nullable=False))

    text, number, yes = pa.string(), pa.uint32(), pa.bool_()
    is_old = version == OLD_VERSION
    columns = {} if is_old else dict.fromkeys(_UNKNOWN, pa.int32())
    kinds = {
        "digest": text,
        "source": text,
        "function": text,
        "call": text,
        "found_by": text,
        "inputs": number,
        "conditions" if is_old else "decisions": several(
            struct(step=number, line=number, **columns, text=text, taken=yes, kind=text)
        ),
        "solved": several(several(struct(line=number, text=text))),
        "uncovered": several(struct(line=number, **columns, kind=text, taken=yes, function=text, text=text)),
    }
    fields = [pa.field(name, kind, nullable=False) for name, kind in kinds.items()]
    return pa.schema(fields, metadata={"worldline.paths": version})


def store_paths(report: PathReport, directory: str | Path) -> int:
    """Store the traces of a report, and `paths.parquet` with their classes; those of other functions stay.

    Args:
        report: The result of `paths`.
        directory: The folder of traces, created if it is missing.

    Returns:
        The number of new traces.

    Raises:
        UsageError: The report has no class.
    """
    directory, new = Path(directory), 0
    rows = [_row(path_class, report) for path_class in report.classes]
    if not rows:
        raise UsageError(f"no path of {report.function} was found: there is nothing to store in {directory}")
    first = report.classes[0].trace
    with shards.ShardWriter(
        directory, fingerprint=fingerprint(limits=first.limits, interpreter=first.interpreter)
    ) as writer:
        for path_class in report.classes:
            new += writer.add(path_class.trace)
    old = read(directory) if (directory / SIDECAR).exists() else []
    mine = {(row.source, row.function) for row in rows}
    _write(directory / SIDECAR, [*(row for row in old if (row.source, row.function) not in mine), *rows])
    return new


def _row(path_class: PathClass, report: PathReport) -> StoredPath:
    return StoredPath(
        path_class.trace.program.digest,
        report.function,
        path_class.call,
        path_class.found_by,
        path_class.inputs,
        path_class.decisions,
        path_class.solved,
        report.uncovered,
        _digest(report.program.source),
    )


def _digest(source: str) -> str:
    import hashlib

    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()


def _write(path: Path, rows: list[StoredPath]) -> None:
    from worldline.storage.arrow import pa, pq

    table = pa.Table.from_pylist([_as_columns(row) for row in rows], schema=_schema())
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd", write_page_checksum=True)
    files.write(path, buffer.getvalue())


def _as_columns(row: StoredPath) -> dict[str, Any]:
    return {
        **row.__dict__,
        "call": _utf8(row.call),
        "decisions": [{**item.__dict__, "text": _utf8(item.text)} for item in row.decisions],
        "solved": [[{"line": line, "text": _utf8(text)} for line, text in item] for item in row.solved],
        "uncovered": [{**item.__dict__, "text": _utf8(item.text)} for item in row.uncovered],
    }


def _utf8(text: str) -> str:
    """Replace lone surrogates by U+FFFD; the trace has the exact call."""
    return text.encode("utf-8", "replace").decode() if not text.isascii() else text


def read(directory: str | Path) -> list[StoredPath]:
    """Read the rows of `paths.parquet`, in the order of storing."""
    from worldline.storage.arrow import pa, pq

    path = Path(directory) / SIDECAR
    try:
        data = files.read(path, limit=MAX_BYTES)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}: create it with `worldline paths -o`") from None
    if data is None or len(data) > MAX_BYTES:
        raise FormatError(f"{path}: it is not a file, or is larger than {MAX_BYTES} bytes")
    try:
        table = pq.read_table(io.BytesIO(data), page_checksum_verification=True)
        version = (table.schema.metadata or {}).get(b"worldline.paths", b"").decode(errors="replace")
        if version not in (OLD_VERSION, VERSION):
            raise FormatError(
                f"{path}: it has paths of version {version!r}; this worldline reads {OLD_VERSION} and {VERSION}"
            )
        if not table.schema.equals(_schema(version), check_metadata=True):
            raise FormatError(f"{path}: it does not have the columns of paths version {version}")
        return [_from_columns(row) for row in table.to_pylist()]
    except (pa.ArrowException, OSError, ValueError, LookupError, TypeError) as error:
        raise FormatError(f"{path}: it is damaged, or not a table of paths: {error}") from None


def _from_columns(row: dict[str, Any]) -> StoredPath:
    decisions = row.pop("conditions", None) or row.pop("decisions", [])
    return StoredPath(
        **{
            **row,
            "decisions": tuple(DecisionOutcome(**_UNKNOWN | item) for item in decisions),
            "solved": tuple(
                tuple((condition["line"], condition["text"]) for condition in item) for item in row["solved"]
            ),
            "uncovered": tuple(Arc(**_UNKNOWN | item) for item in row["uncovered"]),
        }
    )


def load_paths(directory: str | Path) -> Iterator[tuple[StoredPath, Trace]]:
    """Yield every stored class with its trace, in the order of storing."""
    traces = {trace.program.digest: trace for trace in shards.read(directory)}
    for row in read(directory):
        if row.digest not in traces:
            raise FormatError(f"{Path(directory) / SIDECAR}: the trace of {row.call} is not in the shards")
        yield row, traces[row.digest]


def find_problems(directory: str | Path) -> list[str]:
    """List what is wrong with the sidecar of a directory; empty if nothing is."""
    if SIDECAR not in files.names(Path(directory)):
        return []
    try:
        for _ in load_paths(directory):
            pass
    except (FormatError, UsageError) as error:
        return [str(error)]
    return []
