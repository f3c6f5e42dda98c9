"""The flow table of a program that is not Python, asked of its guest once: what guides and readers of texts go by.

The program is prepared in the box, not run. Without a box or a toolchain there is none, and little is known.
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
    """What is known of a program's control flow besides its text; None for Python, whose text says it."""
    if program.lang.has_syntax_tree:
        return None
    from worldline.recording import recorder  # loads the box, which Python's programs do without here

    try:
        data = recorder.flow_of(program)
    except (NoSandbox, UsageError):  # nor for a call that cannot be made
        return None
    return None if data is None else read_table(data, program)


def context_of(ask: PredictionRequest) -> TraceContext:
    """What the text of an ask is about, for its notation."""
    return TraceContext(program=ask.program, options=ask.options, hidden=ask.hidden, flow_table=table_of)
