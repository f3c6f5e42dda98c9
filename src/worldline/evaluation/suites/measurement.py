"""Suites that measure more than one judged trace per program.

A `SuiteMeter` measures programs independently of each other, so that a suite can be resumed, sharded and spread over
workers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from worldline.core.fault import RowFault
from worldline.core.limits import Limits
from worldline.evaluation.suites.suite import Task
from worldline.evaluation.table import Table
from worldline.predict.predictor import Predictor

MEASURED, SKIPPED, FAULT = KINDS = ("measured", "skipped", "fault")


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """The figures of one program, as JSON; or why it has none.

    `skipped` programs have no true answer. On a `fault` the tool failed; `faults` also counts parts of a measured
    program on which it did. `at` is the program's place in the suite, `program` its digest.
    """

    kind: str = MEASURED
    figures: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    faults: int = 0
    note: str = ""
    at: int = 0
    name: str = ""
    program: str = ""

    @property
    def is_final(self) -> bool:
        """Whether a resumed run can keep it: the tool did not fail on any part of it."""
        return self.faults == 0


def skipped() -> Measurement:
    """Return the measurement of a program without a true answer."""
    return Measurement(kind=SKIPPED)


def failed(fault: RowFault | str) -> Measurement:
    """Return the measurement of a program on which the tool failed."""
    note = fault.note if isinstance(fault, RowFault) else fault
    return Measurement(kind=FAULT, faults=1, note=note)


class SuiteMeter(Protocol):
    """How a suite is measured."""

    @property
    def batch(self) -> int:
        """How many programs are measured together."""

    @property
    def no_scratchpad(self) -> str:
        """Why programs cannot be rewritten before they are measured; empty if they can."""

    def measure(self, tasks: Sequence[Task], predictor: Predictor, limits: Limits, /) -> Iterator[Measurement]:
        """Measure each program, in order."""

    def count(self, tasks: Sequence[Task], limits: Limits, /) -> int:
        """Count the programs that are not skipped, without a model."""

    def tables(self, rows: Sequence[Measurement], /) -> tuple[Table, ...]:
        """Sum up programs that were measured; samples of one program share their place."""
