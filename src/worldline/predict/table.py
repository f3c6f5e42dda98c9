"""Flow tables of programs in other languages than Python, for guides and readers of texts.

The recorder prepares the program in the sandbox without executing it. Without a sandbox or toolchain there is no table.
"""

from __future__ import annotations

from functools import lru_cache

from worldline.analyze.flow.table import FlowTable, read_table
from worldline.codec.notation import TraceContext
from worldline.core.errors import NoSandbox, UsageError
from worldline.core.program import Program
from worldline.predict.prediction import PredictionRequest


@lru_cache(maxsize=64)
def table_of(program: Program) -> FlowTable | None:
    """Return the flow table of a program; None for Python, whose source is enough, and if it is not available."""
    if program.lang.has_syntax_tree:
        return None
    from worldline.recording import recorder  # loads the sandbox, which Python programs do not need here

    try:
        data = recorder.flow_of(program)
    except (NoSandbox, UsageError):
        return None
    return None if data is None else read_table(data, program)


def context_of(request: PredictionRequest) -> TraceContext:
    """Return the context that a notation needs for the texts of a request."""
    return TraceContext(program=request.program, options=request.options, hidden=request.hidden, flow_table=table_of)
