"""Whether a program notices that it is controlled: `python studies/hidden/invisible.py`.

Every hostile program of tests/hostile/python is recorded without a control and live. It did not notice if it printed
the same and ended the same way, addresses apart. Prints how many did not, and the others.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from worldline.core.hidden import Control
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.recording.recorder import SandboxWorker, prepare

PROGRAMS = Path(__file__).parents[2] / "tests" / "hostile" / "python"
LIMITS = Limits(wall=10, steps=200_000)
ADDRESS = re.compile("0x[0-9a-f]+")


def shown(trace: Trace) -> tuple[str, ...]:
    """What of a run others see."""
    texts = (trace.outcome.kind, trace.outcome.detail, trace.output, trace.stderr)
    return tuple(ADDRESS.sub("0x", text) for text in texts)


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", help="the interpreter that runs them")
    options = parser.parse_args()
    setup = prepare(limits=LIMITS, python=options.python, core="auto", trust=False)
    free, held = SandboxWorker(setup), SandboxWorker(setup)
    same, others = 0, []
    for path in sorted(PROGRAMS.glob("*.py")):
        program = Program(source=path.read_text("utf-8", "surrogateescape"), name=path.name)
        one, other = free.record(program), held.record(program, control=Control(seed=None))
        same += shown(one) == shown(other)
        if shown(one) != shown(other):
            others.append(f"  {path.name}: {one.outcome.kind} without, {other.outcome.kind} live")
    free.close()
    held.close()
    print(f"{same} of {same + len(others)} hostile programs print and end the same, live or without a control")
    print("\n".join(others))


if __name__ == "__main__":
    main()
