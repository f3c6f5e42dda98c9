"""What recording large values costs in the other languages: n appends, insertions, updates in place, in the sandbox.

    python benchmarks/languages_large.py [--steps 1000,10000] [--languages c java] [--value-bytes 65536]

A row: steps per CPU second of the sandbox alone (a run of n changes less one of none, so that starting is in neither),
its CPU seconds, the bytes of the wire and the CPU seconds of the host that decodes it. A recording that did not end
and print as it should is shown as what it ended with, such as the limit on bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from languages import NAMES, opened
from processes import below_seconds

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.recording import wire
from worldline.recording.languages import toolchain
from worldline.recording.recorder import SandboxWorker

HERE = Path(__file__).resolve().parent / "foreign"
WORKLOADS = ("append", "insert", "update", "text")


@dataclass(frozen=True)
class Cost:
    """What one recording took: the sandbox's CPU seconds, the wire's bytes, the host's CPU seconds for decoding it."""

    seconds: float
    steps: int
    bytes: int
    decoding: float
    end: str

    @property
    def rate(self) -> float:
        """Steps per CPU second of the sandbox."""
        return self.steps / max(self.seconds, 0.01)


class Decoder:
    """Decodes as the recorder does, and remembers what the newest wire cost."""

    def __init__(self) -> None:
        self.bytes, self.seconds = 0, 0.0
        self._decode = wire.decode

    def __call__(self, buffer: bytes | bytearray | memoryview, **options: Any) -> wire.Decoded:
        self.bytes = int.from_bytes(bytes(buffer[8:16]), "little")
        begin = time.process_time()
        decoded = self._decode(buffer, **options)
        self.seconds = time.process_time() - begin
        return decoded


def text_of(language: str) -> str:
    """The source of the workloads. Those of TypeScript are those of JavaScript."""
    suffix = Path(NAMES[language]).suffix
    return (HERE / f"large{'.js' if suffix == '.ts' else suffix}").read_text()


def cost(worker: SandboxWorker, decoder: Decoder, language: str, name: str, n: int) -> Cost:
    """Record n changes, less none: the better of two recordings."""

    def run(changes: int) -> tuple[float, Trace]:
        before = below_seconds()
        trace = worker.record(Program(source=text_of(language), name=NAMES[language], argv=(name, str(changes))))
        return below_seconds() - before, trace

    run(0)  # prepares it
    none = min(run(0)[0] for _ in range(2))
    used, trace = min((run(n) for _ in range(2)), key=lambda pair: pair[0])
    outcome = trace.outcome
    end = outcome.kind if outcome.kind == "returned" else f"{outcome.kind} {outcome.detail}".strip()
    if outcome.kind == "returned" and trace.output.strip() != str(n):
        end = f"printed {trace.output!r}"
    return Cost(used - none, len(trace), decoder.bytes, decoder.seconds, end)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--languages", nargs="+", choices=list(NAMES), default=list(NAMES))
    parser.add_argument("--workloads", nargs="+", choices=WORKLOADS, default=list(WORKLOADS))
    parser.add_argument("--steps", default="1000,10000", help="how many changes")
    parser.add_argument("--value-bytes", type=int, default=Limits().value_bytes, help="a longer value is cut")
    parser.add_argument("--json", action="store_true", help="print one JSON object per line")
    options = parser.parse_args()
    decoder = Decoder()
    wire.decode = decoder
    limits = Limits(wall=300, value_bytes=options.value_bytes, memory=2 << 30)
    for language in options.languages:
        if isinstance(why := toolchain.find(language), str):
            print(f"{language}: {why}")
            continue
        with opened(limits) as worker:
            for name in options.workloads:
                for n in map(int, options.steps.split(",")):
                    row = cost(worker, decoder, language, name, n)
                    if options.json:
                        print(json.dumps({"language": language, "workload": name, "n": n} | asdict(row)), flush=True)
                        continue
                    size = f"{row.bytes / 1e6:.2f} MB, decoded in {row.decoding:.2f} s"
                    rate = f"{row.rate / 1e6:.3f}M/s, {row.seconds:.2f} s"
                    print(
                        f"{language:<5}{name:<7}{n:>8,}  {row.steps:>7,} steps  {rate}, {size}, {row.end}", flush=True
                    )
    if not options.json:
        print(f"load average {', '.join(f'{load:.1f}' for load in os.getloadavg())} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
