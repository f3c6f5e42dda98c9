"""Whether `ask` keeps its promise on code that its journal has never seen: one module after another is new.

    python studies/plan/unseen.py RUN ... [--sure 0.95] [--json]

RUN is a run of predictions.py, one per module. For each module, the journal starts with the calls of all other modules,
or of one other module. The module's calls are then asked in order: predicted if the gate allows it, and otherwise
executed and added to the journal. `pooled` is the gate of earlier releases, which knows nothing about the code.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from worldline.core.program import Program
from worldline.core.stats import Share
from worldline.evaluation.run.directory import newest
from worldline.plan.code_features import CodeFeatures, code_features
from worldline.plan.evidence import calibrate
from worldline.plan.gate import Gate, fit_gate
from worldline.plan.ledger import LedgerEntry

GateRule = Callable[[Sequence[LedgerEntry], LedgerEntry], Gate | None]


def main() -> int:
    """Run the study from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--sure", type=float, default=0.95)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    modules = {run.name: read_calls(run) for run in options.runs}
    rows = [
        {"module": name, "journal": journal, "gate": rule, **measure(entries, calls, RULES[rule], options.sure)}
        for name, calls in modules.items()
        for journal, entries in _journals(name, modules)
        for rule in RULES
    ]
    print(json.dumps(rows) if options.json else "\n".join(_text(row) for row in rows))
    return 0


def read_calls(run: Path) -> list[LedgerEntry]:
    """Return the judged calls of a run as they would stand in a ledger."""
    return [
        LedgerEntry(
            digest=record.program, question="return", why="",
            imagined="right" if record.judged["answer"] == "right" else "wrong", true="right",
            score=record.found.logprob if record.judged["answer"] in ("right", "wrong") else None,
            code=_features(record.ask.program, record.name),
        )
        for record in newest(run).values()
        if record.counts
    ]  # fmt: skip


def _features(program: Program, name: str) -> CodeFeatures:
    """The features of a mined call, in the file that its name starts with."""
    file, _, function = name.partition(":")
    features = code_features(program)
    return replace(features, file=file) if function else features


def measure(
    journal: Sequence[LedgerEntry], calls: Sequence[LedgerEntry], rule: GateRule, sure: float
) -> dict[str, Any]:
    """Ask every call in order; what is executed is added to the journal."""
    known, predicted = [entry for entry in journal if entry.score is not None], list[bool]()
    for call in calls:
        gate = rule(known, call)
        if call.score is not None and gate is not None and gate.probability(call.score) >= sure:
            predicted.append(call.is_right)
        elif call.score is not None:
            known.append(call)
    return {"calls": len(calls), "predicted": len(predicted), "right": Share(sum(predicted), len(predicted)).as_json()}


def _by_code(entries: Sequence[LedgerEntry], call: LedgerEntry) -> Gate | None:
    return calibrate(entries, call.code).gate


def _pooled(entries: Sequence[LedgerEntry], call: LedgerEntry) -> Gate | None:
    return fit_gate(entries)


RULES: dict[str, GateRule] = {"by code": _by_code, "pooled": _pooled}


def _journals(name: str, modules: dict[str, list[LedgerEntry]]) -> list[tuple[str, list[LedgerEntry]]]:
    """The journals that a module is new to: of all other modules together, and of each alone."""
    others = {other: calls for other, calls in modules.items() if other != name}
    together = [call for calls in others.values() for call in calls]
    return [("all others", together), *others.items()]


def _text(row: dict[str, Any]) -> str:
    right = row["right"]
    kept = (
        "-"
        if not right["n"]
        else f"{100 * right['rate']:.1f} % right ({100 * right['interval'][0]:.0f}-{100 * right['interval'][1]:.0f})"
    )
    return (
        f"{row['module']:15} after {row['journal']:15} {row['gate']:8} "
        f"{row['predicted']:4} of {row['calls']} predicted, {kept}"
    )


if __name__ == "__main__":
    sys.exit(main())
