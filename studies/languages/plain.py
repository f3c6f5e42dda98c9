"""Recorded programs beside plain runs: every HumanEval-X problem with its tests, and 164 drawn C programs.

    python studies/languages/plain.py [--language java] [--data DIR] [--out FILE] [--workers N] [--failed | --report]

Each program that compiles plainly is recorded in the box; its exit status and standard output must be the plain run's,
every value canonical, and both notations (`compact` in all its modes, `cwm`) bring the run back. A program that meets
a usual limit is recorded again under larger ones, and counted as such. Of a run of more than ROUND_TRIPS steps, or
whose values take more than TEXT characters, the notations are tried on as many of its first steps as fit. Rows are
kept in FILE as they come; what it has is not done again, unless it failed and --failed is given.
The exit status is 1 where an aim is missed or a round trip differs.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import subprocess
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import plain_run
from judged import Judged, judge_notations, judge_run
from problems import LANGUAGES, problems

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import NO_TEXT, Trace
from worldline.recording.recorder import SandboxWorker, prepare

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data" / "humaneval-x"
OUT = ROOT / ".carry" / "languages-plain.jsonl"
AIMS = {"js": 99.5, "ts": 99.5, "java": 99.5, "c": 99.5, "cpp": 99.0, "rust": 98.0, "go": 99.5}
VALUES = {"rust": 98.0}  # of programs with canonical values alone; 100 elsewhere
ROUND_TRIPS, TEXT = 20_000, 4_000_000
USUAL = Limits(wall=300)  # the time is the machine's, not the program's
LARGER = Limits(wall=900, steps=20_000_000, trace_bytes=4 << 30, memory=4 << 30)


class Recorders:
    """A worker for each set of limits, opened when it is first needed."""

    def __init__(self) -> None:
        self._open: dict[Limits, SandboxWorker] = {}

    def record(self, program: Program, limits: Limits) -> Trace:
        """One recording under these limits."""
        return self.of(limits).record(program)

    def of(self, limits: Limits) -> SandboxWorker:
        """The worker of these limits."""
        if limits not in self._open:
            self._open[limits] = SandboxWorker(prepare(limits=limits, python=None, core="auto", trust=False))
        return self._open[limits]

    def close(self) -> None:
        """Puts all of them away."""
        while self._open:
            self._open.popitem()[1].close()


@contextmanager
def recorders() -> Iterator[Recorders]:
    """Recorders that are put away."""
    found = Recorders()
    try:
        yield found
    finally:
        found.close()


def judged(name: str, program: Program, plainly: Program, by: Recorders) -> Judged:
    """All that is compared of one program."""
    found = Judged(program.language, name)
    ran = plain_run.run(plainly)
    if isinstance(ran, str):
        found.compiled, found.outcome = False, ran
        return found
    trace = by.record(program, USUAL)
    if trace.outcome.kind == "limit":
        found.limits = f"larger, after {trace.outcome.detail}"
        trace = by.record(program, LARGER)
    judge_run(found, trace, ran)
    if (most := fitting(trace)) < len(trace):
        found.cut, trace = True, by.record(program, Limits(wall=300, steps=most))
    judge_notations(found, trace, by.of(USUAL).in_language(program.language).flow(program))
    return found


def fitting(trace: Trace) -> int:
    """How many of a trace's steps the notations are tried on: all, or ROUND_TRIPS halved until their values fit."""
    columns, most = trace.columns, ROUND_TRIPS
    sizes = [len(text) for text in columns.texts]

    def size(steps: int) -> int:
        changes = columns.change_value[: columns.change_at[min(steps, len(columns))]]
        return sum(sizes[value] for value in changes if value != NO_TEXT)

    if len(trace) <= most and size(len(trace)) <= TEXT:
        return len(trace)
    while size(most) > TEXT and most > 100:
        most //= 2
    return min(most, len(trace))


def share(language: str, data: Path, names: list[str], out: Path, commit: str) -> None:
    """One worker's part of a language, row by row."""
    programs = problems(data, language)
    plainly = problems(data, "js") if language == "ts" else programs
    with recorders() as by:
        for name in names:
            begun = time.monotonic()
            try:
                row = judged(name, programs[name], plainly[name.replace("TS/", "JS/")], by)
            except Exception:
                row = Judged(language, name, why=[traceback.format_exc()[-600:]])
            row.commit, row.seconds = commit, round(time.monotonic() - begun, 1)
            with out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row.as_json()) + "\n")


def rows(out: Path) -> dict[tuple[str, str], Judged]:
    """What was found so far, the last word of each program."""
    found = {}
    for line in out.read_text(encoding="utf-8").splitlines() if out.exists() else ():
        row = Judged(**json.loads(line))
        found[row.language, row.name] = row
    return found


def report(language: str, of: list[Judged]) -> tuple[str, bool]:
    """A language's lines, and whether it meets its aims."""
    ran = [row for row in of if row.compiled]
    ends, larger = sum(row.end for row in ran), sum(row.end and row.limits != "usual" for row in ran)
    clean = sum(not row.odd_values and row.steps > 0 for row in ran)
    odd = sum(row.odd_texts + row.odd_frames for row in ran)
    share_of = 100.0 / max(1, len(ran))
    lines = [
        f"{language}: {len(ran)} of {len(of)} compile plainly; end and stdout alike {ends} of {len(ran)} "
        f"({ends * share_of:.1f} %, aim {AIMS[language]}), {larger} of them under larger limits; "
        f"values canonical in {clean} of {len(ran)} ({sum(row.values for row in ran):,} values); round trips: "
        f"compact {sum(row.texts - row.odd_texts for row in ran):,} of {sum(row.texts for row in ran):,} texts, "
        f"cwm {sum(row.frames - row.odd_frames for row in ran):,} of {sum(row.frames for row in ran):,} frames "
        f"({sum(row.unsure_lines for row in ran):,} lines left open); "
        f"{sum(row.cut for row in ran)} tried on their first steps; "
        f"{sum(row.steps for row in ran):,} steps; at {' '.join(sorted({row.commit for row in of}))}"
    ]
    lines += [f"  {row.name} does not compile: {row.outcome.splitlines()[0][:150]}" for row in of if not row.compiled]
    lines += [f"  {row.name} ({row.outcome[:60]}; {row.limits}): {why}" for row in of for why in row.why]
    enough = 100 * ends >= AIMS[language] * len(ran) and 100 * clean >= VALUES.get(language, 100.0) * len(ran)
    return "\n".join(lines), enough and not odd


def main() -> None:
    """The command."""
    asked = _options()
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()
    met = True
    for language in [asked.language] if asked.language else LANGUAGES:
        done = rows(asked.out)
        names = list(problems(asked.data, language))[: asked.first]
        todo = [name for name in names if _is_open(done.get((language, name)), asked.failed)]
        todo = [name for name in todo if name not in asked.later]
        if todo and not asked.report:
            _work(language, asked, todo, commit)
        done = rows(asked.out)
        text, good = report(language, [done[language, name] for name in names if (language, name) in done])
        print(text, flush=True)
        met = met and good
    raise SystemExit(not met)


def _is_open(row: Judged | None, failed: bool) -> bool:
    return row is None or (failed and not row.alike)


def _work(language: str, asked: argparse.Namespace, todo: list[str], commit: str) -> None:
    parts = [part for at in range(asked.workers) if (part := todo[at :: asked.workers])]
    with ProcessPoolExecutor(asked.workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        waits = [pool.submit(share, language, asked.data, part, asked.out, commit) for part in parts]
        for wait in waits:
            wait.result()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", choices=LANGUAGES, help="one language; all of them otherwise")
    parser.add_argument("--data", type=Path, default=DATA, help="HumanEval-X's folder")
    parser.add_argument("--out", type=Path, default=OUT, help="the rows, and where a run goes on from")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--first", type=int, help="only the first N programs of a language")
    parser.add_argument("--later", nargs="*", default=[], help="names that are left for another time")
    parser.add_argument("--failed", action="store_true", help="those that failed are tried again")
    parser.add_argument("--report", action="store_true", help="nothing is run")
    return parser.parse_args()


if __name__ == "__main__":
    main()
