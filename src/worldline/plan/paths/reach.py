"""Find calls for branches that known calls of a function miss (`data mine --path-seconds`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from worldline.analyze.flow.conditions import conditions
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.plan.paths.arcs import Arc, arcs_of, taken_arcs
from worldline.plan.paths.search import paths
from worldline.plan.paths.target import read_call

EXAMPLE = "example"


@dataclass(frozen=True)
class MissingBranchSearch:
    """Searches for missing arcs, N seconds per function; only for functions called by name."""

    seconds: float
    trust: bool = False

    def __call__(self, program: Program, traces: Mapping[str, Trace]) -> list[str]:
        """Return calls that take arcs which none of the traces takes."""
        try:
            name, _ = read_call(program.call or "")
        except UsageError:
            return []
        arcs = arcs_of(program.source, name)
        taken: frozenset[Arc] = frozenset().union(
            *(taken_arcs(conditions(trace), arcs) for trace in traces.values())
        )
        if not arcs - taken:
            return []
        known = [read_call(call)[1] for call in traces]
        try:
            report = paths(program, name, examples=known, seconds=self.seconds, trust=self.trust)
        except UsageError:  # it is not a top-level function
            return []
        new = [path for path in report.classes if taken_arcs(path.conditions, arcs) - taken]
        return [path.trace.program.call or "" for path in new if path.found_by != EXAMPLE]
