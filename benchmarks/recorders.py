"""`make bench`: what recording costs, beside the usual ways of doing it, on five small workloads.

Every figure comes from a fresh child of this process (measure.py), so no recorder sees another's state.
Prints steps a second, how far worldline's native core is ahead of each peer, and the aims; then what a boxed
recording costs end to end (boxed.py). A figure whose recording was wrong is refused, not printed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from peers import CAPTURING

HERE = Path(__file__).resolve().parent
WORKLOADS = ("int loop", "string build", "bubble sort", "dict BFS", "fib")
LOOPS = ("int loop", "string build")
NATIVE, READABLE = "worldline", "worldline (python)"
TITLES = {
    "untraced": "untraced",
    "coverage": "coverage.py C hook, lines only",
    "viztracer": "viztracer, variables logged",
    "settrace": "settrace + repr of changed locals",
    "hunter": "hunter, custom action",
    "pysnooper": "PySnooper",
    NATIVE: "worldline, native core",
    READABLE: "worldline, readable core",
}
Speeds = dict[str, dict[str, float | None]]


@dataclass(frozen=True)
class Aim:
    """A ratio that is to be reached, and the one that was."""

    workload: str
    peer: str
    least: float
    ratio: float | None

    @property
    def met(self) -> bool:
        """Whether it was; an absent figure meets nothing."""
        return self.ratio is not None and self.ratio >= self.least


def child(script: str, *arguments: str) -> Any:
    """The JSON that a script of this folder prints, or its last line of complaint as a string."""
    command = [sys.executable, str(HERE / script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        return ([*done.stderr.strip().splitlines(), f"exit {done.returncode}"] if done.stderr else ["silent"])[-1]
    return json.loads(done.stdout)


def measured(options: argparse.Namespace) -> tuple[dict[str, dict[str, list[float]]], list[str]]:
    """Steps a second of each recorder on each workload, one figure a pass, and what went wrong.

    All recorders of a workload are run side by side in time, and the passes lie apart: what else the machine
    does then falls on all of them alike.
    """
    found: dict[str, dict[str, list[float]]] = {name: {w: [] for w in WORKLOADS} for name in options.recorders}
    faults = []
    for number in range(options.passes):
        for workload in WORKLOADS:
            for recorder in options.recorders:
                told = ["--seconds", str(options.seconds), "--repeats", str(options.repeats)]
                got = child("measure.py", recorder, workload, *told)
                if isinstance(got, str):
                    faults.append(f"{recorder} on {workload}, pass {number + 1}: {got}")
                else:
                    found[recorder][workload].append(got["steps_per_second"])
    return found, faults


def bests(found: dict[str, dict[str, list[float]]]) -> Speeds:
    """The best figure of each; none where a recorder was refused every time."""
    return {name: {w: max(each, default=None) for w, each in row.items()} for name, row in found.items()}


def ratios(table: Speeds, core: str = NATIVE) -> Speeds:
    """How many times as fast as each peer the core is."""
    ours = table.get(core, {})
    found: Speeds = {}
    for peer in (peer for peer in table if peer not in (NATIVE, READABLE)):
        pairs = {workload: (ours.get(workload), table[peer][workload]) for workload in WORKLOADS}
        found[peer] = {name: mine / its if mine and its else None for name, (mine, its) in pairs.items()}
    return found


def aims(ahead: Speeds) -> list[Aim]:
    """The project's aims: 5x every value-capturing peer, 10x on the loops, coverage's hook within 1.5x."""
    found = [
        Aim(workload, peer, 10 if workload in LOOPS else 5, ahead[peer][workload])
        for peer in CAPTURING
        if peer in ahead
        for workload in WORKLOADS
    ]
    if "coverage" in ahead:
        found.append(Aim("int loop", "coverage", 1 / 1.5, ahead["coverage"]["int loop"]))
    return found


def brief(speed: float | None) -> str:
    """12.3M, 456k, 7.8k."""
    if speed is None:
        return "-"
    for unit, scale in (("M", 1e6), ("k", 1e3)):
        if speed >= scale:
            return f"{speed / scale:.1f}{unit}" if speed < 100 * scale else f"{speed / scale:.0f}{unit}"
    return f"{speed:.0f}"


def grid(title: str, rows: dict[str, list[str]]) -> str:
    """Aligned text: a title line and one line a row."""
    lines = [f"{title:<36}" + "".join(f"{name:>14}" for name in WORKLOADS)]
    lines += [f"{name:<36}" + "".join(f"{cell:>14}" for cell in cells) for name, cells in rows.items()]
    return "\n".join(lines)


def ratio_rows(ahead: Speeds) -> dict[str, list[str]]:
    """The ratios as text."""
    return {
        TITLES[peer]: ["-" if ratio is None else f"{ratio:.2f}x" for ratio in row.values()]
        for peer, row in ahead.items()
    }


NOTES = """\
Lines alone: coverage.py. In part: viztracer sees assignments, not changes by a method (queue.append), and
PySnooper keeps 100 characters a value. The readable core walks 12 nodes of the BFS's graph, the others 500."""


def text(table: Speeds, faults: list[str], boxed: Any) -> str:
    """What is printed."""
    rows = {TITLES[name]: [brief(row[workload]) for workload in WORKLOADS] for name, row in table.items()}
    ahead = ratios(table)
    parts = [grid("steps a second", rows), NOTES]
    if NATIVE in table:
        parts.append(grid("native core, times as fast as", ratio_rows(ahead)))
        parts.append("\n".join(aim_lines(aims(ahead))))
    if isinstance(boxed, str):
        parts.append(f"refused: end to end: {boxed}")
    elif boxed:
        parts.append("\n".join(f"{name:<48}{figure:>14,.3f}" for name, figure in boxed.items()))
    if faults:
        parts.append("\n".join(f"refused: {fault}" for fault in faults))
    return "\n\n".join(parts)


def aim_lines(found: list[Aim]) -> list[str]:
    """Each missed aim, and how many were met."""
    met = sum(aim.met for aim in found)
    lines = [
        f"aims met: {met} of {len(found)} (5x every value-capturing peer, 10x on the loops, "
        "at least 0.67x coverage.py's lines-only hook on the int loop)"
    ]
    for aim in (aim for aim in found if not aim.met):
        shown = "none" if aim.ratio is None else f"{aim.ratio:.2f}x"
        lines.append(f"  missed: {aim.workload} against {aim.peer}: {shown}, aim {aim.least:.2f}x")
    return lines


def main() -> None:
    """Measure, print, and fail only where a recording was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.4, help="CPU seconds of one repetition")
    parser.add_argument("--repeats", type=int, default=3, help="repetitions, of which the best counts")
    parser.add_argument("--recorders", nargs="+", choices=list(TITLES), default=list(TITLES))
    parser.add_argument("--no-boxed", action="store_true", help="leave out the end-to-end figures")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--passes", type=int, default=2, help="how often the whole table is measured")
    options = parser.parse_args()
    found, faults = measured(options)
    table = bests(found)
    boxed = {} if options.no_boxed else child("boxed.py", "--json")
    faults_all = [*faults, *([f"end to end: {boxed}"] if isinstance(boxed, str) else [])]
    if options.json:
        judged = [aim.__dict__ | {"met": aim.met} for aim in aims(ratios(table))]
        python = {"version": platform.python_version(), "machine": platform.machine(), "load": os.getloadavg()}
        whole = {"python": python, "each_pass": found, "steps_per_second": table, "ratios": ratios(table)}
        print(json.dumps(whole | {"aims": judged, "faults": faults_all, "boxed": boxed}, indent=1))
    else:
        how = f"best of {options.repeats} in each of {options.passes} fresh processes"
        print(f"CPython {platform.python_version()}, {how}, load average now {os.getloadavg()[0]:.1f}\n")
        print(text(table, faults, boxed))
    raise SystemExit(bool(faults_all))


if __name__ == "__main__":
    main()
