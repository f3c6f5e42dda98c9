"""The values that recorded tests of HumanEval-X return beside those that the tests expect.

    python studies/languages/returns.py [--language java] [--data DIR] [--every N] [--calls]

Each problem is recorded once with its own tests. Every call that a test makes is a frame of the trace; the value of its
RETURN must be the one that the test's text expects, compared as a value (`returned_values`). The tests themselves are
not asked: a recorder that shows a wrong value, loses a call or mixes two of them is noticed. Calls without a known
expected value are counted by reason. With --calls, the first call with literal arguments of each problem is recorded
by itself instead, as `worldline record --call` does. The exit status is 1 where a value differs.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from expected import Expected, expected_values
from problems import LANGUAGES, problems, typed
from returned_values import is_expected

from worldline.core.errors import UsageError
from worldline.core.events import EVENTS
from worldline.core.language import usual_name
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import NO_TEXT, Trace
from worldline.evaluation.rows import read_rows
from worldline.evaluation.suites.languages.calls import calls, functions, parameter_types
from worldline.evaluation.suites.languages.humaneval_x import file_of
from worldline.evaluation.suites.languages.humaneval_x import problems as solutions
from worldline.recording.recorder import SandboxWorker, prepare

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "humaneval-x"
SUITE_LANGUAGES = tuple(language for language in LANGUAGES if language != "c")  # the suite has no C
KEYS = ("task_id", "declaration", "test")
LIMITS = Limits(wall=600, steps=20_000_000, trace_bytes=4 << 30, memory=4 << 30)
RETURN = EVENTS.index("return")
# JavaScript's solutions that do not meet their own tests: `console.assert` only prints "Assertion failed", so many
# times in a plain execution. Their calls are compared, and so many of them must differ.
FAILED_ASSERTIONS = {"JavaScript/112": 9, "JavaScript/155": 1}
LIBRARIES = ("rand", "regex", "md5", "MD5", "boost")


@dataclass(frozen=True)
class Problem:
    """One problem with its tests: the program, its own functions, the tested one, and what its calls should return."""

    name: str
    program: Program
    functions: tuple[str, ...]
    entry: str
    expected: tuple[Expected | str, ...]


@dataclass
class Agreement:
    """How many returned values are the expected ones, which are not, and why others are not compared."""

    problems: int = 0
    compared: int = 0
    equal: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def add(self, other: Agreement) -> None:
        """Count another one in."""
        self.problems += other.problems
        self.compared += other.compared
        self.equal += other.equal
        self.left_out += other.left_out
        self.differences += other.differences

    @property
    def compared_share(self) -> float:
        """The share of the calls in the tests that are compared."""
        return self.compared / max(1, self.compared + self.left_out.total())


def suite_problems(data: Path, language: str) -> Iterator[Problem]:
    """Iterate over the problems of a language with the values that their tests expect."""
    spelling = "js" if language == "ts" else language
    programs = problems(data, language)
    for row, program in zip(read_rows(file_of(data, spelling), KEYS), programs.values(), strict=True):
        defined = tuple(functions(row["declaration"], spelling))
        entry, expected = _entry(row["test"], defined, spelling)
        yield Problem(row["task_id"], program, defined, entry, tuple(expected))


def _entry(test: str, defined: tuple[str, ...], language: str) -> tuple[str, list[Expected | str]]:
    """The function that the test calls, with what is expected of its calls."""
    for name in reversed(defined):
        if expected := expected_values(test, name, language):
            return name, expected
    return "", []


def compare(problem: Problem, trace: Trace) -> Agreement:
    """Compare what a problem's recorded tests returned with what they expect."""
    found = Agreement(problems=1)
    if library := missing_library(trace):
        found.left_out[f"the program needs a library: {library}"] += len(problem.expected)
        return found
    returned = returned_texts(problem, trace)
    for at, expected in enumerate(problem.expected):
        if isinstance(expected, str):
            found.left_out[expected] += 1
            continue
        if at >= len(returned) and trace.outcome.kind == "limit":
            found.left_out["a limit ended the recording before it"] += 1
            continue
        text = returned[at] if at < len(returned) else None
        found.compared += 1
        if text is not None and is_expected(text, expected, problem.program.language):
            found.equal += 1
        else:
            found.differences.append(f"{problem.name}: call {at + 1} of {problem.entry} returned {text}: {expected}")
    return _as_the_suite_fails(found, problem)


def _as_the_suite_fails(found: Agreement, problem: Problem) -> Agreement:
    """Leave out the calls whose expectation the solution itself does not meet."""
    failed = FAILED_ASSERTIONS.get(problem.name, 0)
    if failed and len(found.differences) == failed:
        found.left_out["the solution fails its own test, plainly too"] += failed
        found.compared -= failed
        found.differences.clear()
    return found


def missing_library(trace: Trace) -> str:
    """Return the library that a program did not find, or empty."""
    if trace.outcome.kind not in ("unsupported", "raised"):
        return ""
    words = ("unresolved import", "No such file", "Cannot find module", "undefined reference")
    told = f"{trace.stderr}\n{trace.outcome.detail}"
    lines = [line for line in told.splitlines() if any(word in line for word in words)]
    return next((library for library in LIBRARIES for line in lines if library in line), "")


def returned_texts(problem: Problem, trace: Trace) -> list[str | None]:
    """Return the value of each call that the tests make of the tested function, in order; None if it raised."""
    own = {number for number, frame in enumerate(trace.frames) if own_name(frame.name) in problem.functions}
    direct = [
        number
        for number, frame in enumerate(trace.frames)
        if own_name(frame.name) == problem.entry and frame.parent not in own
    ]
    columns = trace.columns
    values: dict[int, str] = {}
    for event, frame, arg in zip(columns.event, columns.frame, columns.arg, strict=True):
        if event == RETURN and arg != NO_TEXT:
            values[frame] = columns.texts[arg]
    return [values.get(number) for number in direct]


def own_name(frame: str) -> str:
    """A function's own name, without class, module or package."""
    return frame.replace("::", ".").rpartition(".")[2]


def agreement(language: str, data: Path, worker: SandboxWorker, every: int = 1) -> Agreement:
    """Record every n-th problem of a language and compare its returned values."""
    found = Agreement()
    for problem in list(suite_problems(data, language))[::every]:
        found.add(compare(problem, worker.record(problem.program)))
    return found


def call_agreement(language: str, data: Path, worker: SandboxWorker, every: int = 1) -> Agreement:
    """Record one call of every n-th problem by itself and compare its value."""
    found = Agreement()
    spelling = "js" if language == "ts" else language
    pairs = zip(suite_problems(data, language), solutions(data, spelling), strict=True)
    for problem, solution in list(pairs)[::every]:
        source = typed(solution.source) if language == "ts" else solution.source
        found.add(_call_agreement(problem, Program(source=source, name=usual_name(language)), worker))
    return found


def _call_agreement(problem: Problem, program: Program, worker: SandboxWorker) -> Agreement:
    """Record the first call that has literal arguments and a known value."""
    found = Agreement(problems=1)
    spelling = "js" if program.language == "ts" else program.language
    types = parameter_types(program.source, problem.entry, spelling)
    for expected in problem.expected:
        texts = [] if isinstance(expected, str) else calls(expected.call, problem.entry, spelling, types=types)
        if isinstance(expected, str) or not texts:
            continue
        trace = worker.record(replace(program, call=texts[0]))
        if library := missing_library(trace):
            found.left_out[f"the program needs a library: {library}"] += 1
        elif trace.outcome.kind == "unsupported":
            found.left_out[f"not supported as a call: {trace.outcome.detail.splitlines()[0][:60]}"] += 1
        elif problem.name in FAILED_ASSERTIONS:
            found.left_out["the solution fails its own test, plainly too"] += 1
        else:
            found.compared = 1
            found.equal = int(is_expected(trace.outcome.detail, expected, program.language))
            found.differences += [] if found.equal else [f"{texts[0]} {trace.outcome}: {expected}"]
        return found
    found.left_out["no call has literal arguments and a known value"] += 1
    return found


def report(language: str, found: Agreement) -> str:
    """A language's line, its differences, and what is left out."""
    total = found.compared + found.left_out.total()
    lines = [
        f"{language}: {found.equal} of {found.compared} returned values are the expected ones "
        f"({found.problems} problems; {total - found.compared} of {total} calls left out)"
    ]
    lines += [f"  left out: {count} calls: {reason}" for reason, count in found.left_out.most_common()]
    return "\n".join([*lines, *(f"  DIFFERENT {difference}" for difference in found.differences)])


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", choices=SUITE_LANGUAGES, help="one language; all of them by default")
    parser.add_argument("--data", type=Path, default=DATA, help="HumanEval-X's folder")
    parser.add_argument("--every", type=int, default=1, help="only every N-th problem")
    parser.add_argument("--calls", action="store_true", help="record one call of each problem by itself")
    options = parser.parse_args()
    compared = call_agreement if options.calls else agreement
    if not options.data.is_dir():
        raise UsageError(f"{options.data} is not here: pass --data with HumanEval-X's folder")
    total = Agreement()
    worker = SandboxWorker(prepare(limits=LIMITS, python=None, core="auto", trust=False))
    try:
        for language in [options.language] if options.language else SUITE_LANGUAGES:
            found = compared(language, options.data, worker, options.every)
            print(report(language, found), flush=True)
            total.add(found)
    finally:
        worker.close()
    print(report("all", total))
    raise SystemExit(bool(total.differences))


if __name__ == "__main__":
    main()
