"""What recording costs beside other tools: `python studies/repository/speed.py --help`.

A folder of packages has pytest, coverage, viztracer and hunter; what the tests need is in the repository's own
environment. Every tool watches the files of the repository only, tests included, in a fresh copy, outside the sandbox.
The tools take turns, in another order in each round; the CPU seconds of their processes are compared, because other
work on the machine hardly changes those. Each row is the ratio to the plain run of the same round: median of the
rounds, lowest and highest.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from outcomes import arguments_of

from worldline.recording.rehearsal.folder import copied
from worldline.recording.repository.budget import TestBudget
from worldline.recording.repository.decoded import ProjectFiles, trace_of
from worldline.recording.repository.environment import Environment, make_environment
from worldline.recording.repository.metadata import ProjectMetadata, read_metadata
from worldline.recording.repository.revision import EXCLUDED
from worldline.recording.repository.session import SessionSettings, run_session

HERE = Path(__file__).parent
# Far more than a test needs, so that worldline records every step as the others do.
WHOLE = TestBudget(steps=100_000_000, wire_bytes=1 << 30, spool_bytes=8 << 30, seconds=600.0)
VIZTRACER = ["-m", "viztracer", "--quiet", "--log_func_args"]
TOOLS = {
    "plain": "nothing",
    "worldline": "every step with all changed values",
    "coverage": "lines and branches",
    "viztracer": "calls with arguments",
    "hunter": "calls with arguments, lines, results",
}


def cpu_seconds(action: Callable[[], None]) -> float:
    """The CPU seconds of the processes that an action starts and waits for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    action()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Repository:
    """One repository whose tests each tool executes."""

    def __init__(self, folder: Path, peers: Path) -> None:
        self.folder, self.peers, self.python = folder, peers, make_environment(folder).python
        self.metadata: ProjectMetadata = read_metadata(folder)
        self.args = arguments_of(folder.name)
        self.steps = self.tests = 0

    def measure(self, tool: str) -> float:
        """The CPU seconds of the tests under a tool."""
        if tool == "worldline":
            return self._under_worldline()
        with tempfile.TemporaryDirectory(prefix="worldline-speed-") as scratch:
            root = Path(scratch) / "work"
            shutil.copytree(self.folder, root, symlinks=True, ignore=shutil.ignore_patterns(*EXCLUDED))
            for path, text in self.metadata.files.items():
                (root / path).write_text(text)
            before = {
                "coverage": ["-m", "coverage", "run", "--branch", f"--source={root}", f"--data-file={scratch}/data"],
                "viztracer": [*VIZTRACER, "--include_files", str(root), "-o", f"{scratch}/trace.json", "--"],
            }.get(tool, [])
            after = ["-p", "hunter_plugin"] if tool == "hunter" else []
            command = [self.python, *before, "-m", "pytest", "-q", "-p", "no:cacheprovider", *after, *self.args]
            if tool == "viztracer":
                # viztracer takes a script instead of `-m`.
                command = [
                    self.python,
                    *before,
                    str(self.peers / "pytest" / "__main__.py"),
                    *command[len(before) + 3 :],
                ]
            return cpu_seconds(lambda: self._execute(command, root, scratch))

    def _execute(self, command: list[str], root: Path, scratch: str) -> None:
        roots = [str(root / path) for path in self.metadata.paths]
        added = {"PYTHONPATH": os.pathsep.join([*roots, str(self.peers), str(HERE)]), "PYTHONHASHSEED": "0"}
        added |= {"HUNTED_ROOT": str(root), "HUNTED_FILE": f"{scratch}/hunted.txt"}
        done = subprocess.run(
            command, cwd=root, env={**os.environ, **added}, capture_output=True, text=True, check=False
        )
        last = done.stdout.strip().splitlines()[-1:]
        print(f"    {' '.join(command[1:4])}: {last}", file=sys.stderr)
        if done.returncode not in (0, 1) or not last or "passed" not in last[0]:
            raise RuntimeError(f"{command}: {done.stdout[-2000:]} {done.stderr[-2000:]}")

    def _under_worldline(self) -> float:
        copy = copied(self.folder, EXCLUDED)
        for path, text in self.metadata.files.items():
            copy.add_file(f"work/{path}", text.encode())
        environment = Environment(python=self.python, paths=(*self.metadata.paths, str(self.peers)))
        settings = SessionSettings(
            environment=environment,
            copy=copy,
            args=("-q", *self.args),
            budget=WHOLE,
            include=(),
            core="native",
            trust=True,
        )
        results = []
        seconds = cpu_seconds(lambda: results.append(run_session(settings, only=None, without=[], record=True)))
        ended = results[0].spooled.ended
        print(f"    worldline: {len(ended)} tests, {results[0].outcome}", file=sys.stderr)
        if not self.steps:
            files, limits = ProjectFiles.of_copy(copy), WHOLE.limits
            traces = [trace for test in ended.values() if (trace := trace_of(test, files, limits)) is not None]
            self.steps, self.tests = sum(len(trace.columns) for trace in traces), len(ended)
        return seconds


def main() -> None:
    """Measure and print one table per repository."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--repositories", type=Path, required=True, metavar="DIR")
    parser.add_argument(
        "--peers", type=Path, required=True, metavar="PACKAGES", help="pip install --target PACKAGES ..."
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--once", action="append", default=[], choices=TOOLS, help="a slow tool: in the first round only"
    )
    options = parser.parse_args()
    for name in options.names:
        repository = Repository(options.repositories / name, options.peers.absolute())
        seconds: dict[str, list[float]] = {tool: [] for tool in TOOLS}
        for turn in range(options.rounds):
            order = list(TOOLS)[turn % len(TOOLS) :] + list(TOOLS)[: turn % len(TOOLS)]
            for tool in order:
                if turn and tool in options.once:
                    continue
                seconds[tool].append(repository.measure(tool))
        plain = statistics.median(seconds["plain"])
        whole = statistics.median(seconds["worldline"])
        print(f"\n{name}: {repository.tests} tests, {repository.steps:,} steps, {options.rounds} rounds")
        print(
            f"plain: {plain:.2f} CPU seconds; steps per CPU second: {repository.steps / whole:,.0f} of the whole run, ",
            end="",
        )
        print(f"{repository.steps / max(whole - plain, 0.01):,.0f} of what recording adds\n")
        print("| tool | records | ratio to the plain run | rounds |\n|---|---|---:|---:|")
        for tool, records in TOOLS.items():
            ratios = [own / base for own, base in zip(seconds[tool], seconds["plain"], strict=False)]
            spread = f"{statistics.median(ratios):.2f} ({min(ratios):.2f} - {max(ratios):.2f})"
            print(f"| {tool} | {records} | {spread} | {len(ratios)} |")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
