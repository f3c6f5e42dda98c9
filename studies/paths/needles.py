"""The seven needles: who finds them, in what time, and whether a fresh recording takes every path that was reported.

`python studies/paths/needles.py [--file FILE] [--seconds 10]`
"""

from __future__ import annotations

import argparse
import ast
from pathlib import Path

from worldline.analyze.flow.conditions.jumps import decision_outcomes
from worldline.core.program import Program
from worldline.plan.paths.path_class import PathReport, key_of
from worldline.plan.paths.search import CALL_LIMITS, paths
from worldline.recording.recorder import SandboxWorker, prepare

FILE = Path(__file__).parent / "haystacks.py"


def confirmed(report: PathReport) -> int:
    """How many of the reported paths a fresh recording of their input takes."""
    worker = SandboxWorker(prepare(limits=CALL_LIMITS, python=None, core="auto", trust=False))
    try:
        traces = [(each, worker.record(each.trace.program, jumps=True)) for each in report.classes]
    finally:
        worker.close()
    return sum(key_of(trace, decision_outcomes(trace)) == each.key for each, trace in traces)


def needle(report: PathReport) -> str:
    """The input that finds the needle, and who found it; empty where nobody did."""
    hits = [each for each in report.classes if each.trace.outcome.detail == "1"]
    return f"{hits[0].call} by {hits[0].found_by}" if hits else ""


def main() -> None:
    """A row a function, and the sums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--file", type=Path, default=FILE)
    parser.add_argument("--seconds", type=float, default=10.0)
    asked = parser.parse_args()
    source = asked.file.read_text("utf-8")
    names = [node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    by_random = by_both = classes = again = 0
    for name in names:
        program = Program(source=source, name=asked.file.name)
        alone = paths(program, name, seconds=asked.seconds, solver="never")
        both = paths(program, name, seconds=asked.seconds)
        by_random += bool(needle(alone))
        by_both += bool(needle(both))
        classes, again = classes + len(both.classes), again + confirmed(both)
        spent = ", ".join(f"{who} {seconds:.1f} s" for who, seconds in both.seconds.items())
        alone_found = "found" if needle(alone) else "missed"
        print(f"{name:10} random {alone_found:6}  both: {needle(both) or 'missed':60} ({spent})", flush=True)
    print(f"needles: random inputs {by_random} of {len(names)}, with CrossHair {by_both} of {len(names)}")
    print(f"paths reported {classes}, confirmed by a fresh recording {again}")


if __name__ == "__main__":
    main()
