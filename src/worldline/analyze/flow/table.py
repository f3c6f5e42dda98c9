"""The flow table of a program that is not Python: what its guest knows of its control flow, as JSON that nobody trusts.

A guest makes it when it prepares a program (docs/reference/format.md, section 5, "Flow tables"): of each function the
lines that may come first, those that may follow each line, where it may end, and the names that its frames can show.
Reading is total and linear. Of Python the syntax says all that (`flow.control`), so it has no table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from worldline.analyze.flow.control import Flow, successors
from worldline.analyze.flow.names import Names
from worldline.core.errors import FormatError
from worldline.core.program import Program

if TYPE_CHECKING:
    from worldline.analyze.flow.table_json import TableFunction

_NO_NAMES: frozenset[str] = frozenset()
_NO_LINES: frozenset[int] = frozenset()

LARGEST = 16 << 20  # bytes of a table
MODULE = "<module>"


@dataclass(frozen=True, eq=False)
class FlowTable:
    """The functions of a program's main file, and the names that any of their frames can show besides its own."""

    flows: tuple[Flow, ...]
    globals: frozenset[str] = frozenset()


@lru_cache(maxsize=64)
def read_table(data: bytes, program: Program | None = None) -> FlowTable:
    """Parse a table that a guest wrote for a program.

    Raises:
        FormatError: The data is not a valid table.
    """
    if len(data) > LARGEST:
        raise FormatError(f"a flow table of {len(data):,} bytes; it may have {LARGEST:,}")
    import msgspec  # not for a program that is Python

    from worldline.analyze.flow.table_json import DECODER

    try:
        table = DECODER.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise FormatError(f"no flow table: {error}") from None
    own = [function for function in table.functions if program is None or _is_main(function.file, program)]
    flows = tuple(map(_flow, own))
    return FlowTable(flows, frozenset(table.globals))


def _is_main(file: str, program: Program) -> bool:
    """Return whether a function belongs to the main file; a table may list others too."""
    others = {PurePosixPath(name).name for name, _ in program.files}
    return PurePosixPath(file).name not in others


def flows_of(program: Program, table: FlowTable | None = None) -> tuple[Flow, ...]:
    """Return the code objects of a program's main file: from its syntax if it is Python, else from the table."""
    if program.lang.has_syntax_tree:
        return successors(program.source)
    return table.flows if table is not None else ()


def _flow(function: TableFunction) -> Flow:
    """Return the flow of one function; every line it names has an entry in `next`."""
    following = _sets(function.next)
    mentioned = {*function.start, *function.returns, *function.yields}.union(
        *following.values(), function.handlers, *function.handlers.values()
    )
    lines = {line: following.get(line, _NO_LINES) for line in sorted(mentioned | following.keys())}
    owner, _, last = function.name.rpartition(".")
    names = Names(_NO_NAMES, _NO_NAMES, frozenset(function.names), _NO_NAMES, whole=False)
    return Flow(
        last or function.name,
        function.line,
        function.line,
        owner.rpartition(".")[2],
        (),
        names,
        frozenset(function.start),
        lines,
        _sets(function.handlers),
        frozenset(function.returns),
        frozenset(function.yields),
    )


def _sets(lines: Mapping[int, Iterable[int]]) -> dict[int, frozenset[int]]:
    """Share equal sets, so that a table needs no more memory than its text."""
    known: dict[frozenset[int], frozenset[int]] = {}
    pairs = ((line, frozenset(after)) for line, after in lines.items())
    return {line: known.setdefault(after, after) for line, after in pairs}
