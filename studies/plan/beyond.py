"""How often a prediction is right where executing is impossible, and how often it says that it does not know.

`python studies/plan/beyond.py [--only NAME] [--sure 0.95] [--json FILE]`

30 cases in `beyond/`, one a file: scripts that lack a module, file, variable, connection or program (`rehearse`), calls
of programs whose dependencies are not installed (`ask`), tests whose set-up cannot run (`outputs`), and loops that take
too long (`loop`). The truth is executed with what is missing (files under `truth/`, `env`), or written by hand where
that is impossible here (`effects`, `answer`, `left`). It was written before the first run.

A rehearsal is right if its first branch has exactly the true effects, and it does not know if a target of that branch
is an unknown value. Whether any of its branches is right is counted apart, and so is an answer of `ask` that was
executed, because the call does not reach what is missing.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from worldline import ask, record, rehearse
from worldline.codec.answer import same_answer
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.stats import wilson
from worldline.plan import fill_outputs
from worldline.plan.answer import RUN, Answer
from worldline.plan.question import Question
from worldline.plan.reading import read_answer
from worldline.plan.rehearse.branch import AssumedBranch
from worldline.plan.rehearse.effect import LEFT, TOLD, ScriptEffect, host
from worldline.plan.rehearse.rehearse import Rehearsal, Staging, rehearse_executed

CASES = Path(__file__).parent / "beyond"
TOUCHING = ("write", "delete", "rename", "change", "start", "signal", "send", "listen")
RIGHT, WRONG, UNKNOWN = "right", "wrong", "does not know"
WALL = 8.0
Effects = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Case:
    """A case: its kind, its options, and the files of its sections."""

    name: str
    kind: str
    options: dict[str, str]
    sections: dict[str, str]

    def files(self, *, truth: bool) -> dict[str, str]:
        """The files beside the script; with those of the truth, or without."""
        plain = {name: text for name, text in self.sections.items() if "/" not in name or name.startswith("cache/")}
        plain = {name: text for name, text in plain.items() if name not in ("effects", "answer", "left", "env")}
        added = {name[6:]: text for name, text in self.sections.items() if name.startswith("truth/")}
        return {**plain, **added} if truth else plain


@dataclass(frozen=True)
class Verdict:
    """What came out for a case: the prediction judged, whether any branch is right, and whether it was executed."""

    name: str
    kind: str
    verdict: str
    predicted: object
    true: object
    any_branch: bool = False
    by_model: str = ""
    executed: bool = field(default=False)


def read_case(path: Path) -> Case:
    """Read a case from its file."""
    head, *parts = re.split(r"^=== ", path.read_text("utf-8"), flags=re.MULTILINE)
    options = dict(line.split(": ", 1) for line in head.splitlines())
    sections = {name: text for name, _, text in (part.partition("\n") for part in parts)}
    return Case(path.stem, options.pop("kind"), options, sections)


def write_files(folder: Path, files: dict[str, str]) -> None:
    """Write files into a folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")


def effects_of(effects: Iterable[ScriptEffect]) -> Effects:
    """The effects that touch something, without lines; of an address the host."""
    return frozenset(
        (effect.kind, host(effect.target) if effect.kind == "send" else effect.target)
        for effect in effects
        if effect.kind in TOUCHING
        and (effect.kind == "start" or not effect.failed)
        and effect.place not in ("temporary", "home")
    )


def true_effects(case: Case) -> Effects:
    """The effects of a script that lacks nothing."""
    if "effects" in case.sections:
        lines = (line.split(" ", 1) for line in case.sections["effects"].splitlines())
        return frozenset((kind, target) for kind, target in lines)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, case.files(truth=True))
        environment = tuple(tuple(line.split("=", 1)) for line in case.sections.get("env", "").splitlines())
        staging = Staging(folder=folder, environment=environment)  # type: ignore[arg-type]
        report = rehearse_executed(folder / "script.py", staging, limits=Limits(wall=WALL))
        assert report.outcome is not None
        assert report.outcome.kind == "returned", (case.name, report.stderr)
        return effects_of(effect for effect in report.effects if effect.seen in (TOLD, LEFT))


def rehearsed(case: Case) -> Rehearsal:
    """Rehearse the script without what it lacks."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, case.files(truth=False))
        stubs = [case.options["stub"]] if "stub" in case.options else []
        return rehearse(folder / "script.py", folder=folder, stubs=stubs, wall=WALL)


def judge_rehearsal(case: Case) -> Verdict:
    """Compare the first branch, and all branches, with the truth."""
    true, report = true_effects(case), rehearsed(case)
    executed = effects_of(effect for effect in report.effects if effect.seen in (TOLD, LEFT))
    branches = [executed | effects_of(branch.effects) for branch in report.branches]
    first = branches[0] if branches else executed
    verdict = RIGHT if first == true else UNKNOWN if any("<" in target for _, target in first) else WRONG
    return Verdict(case.name, case.kind, verdict, sorted(first), sorted(true), true in branches, _by_model(report))


def _by_model(report: Rehearsal) -> str:
    """The values that the model supplied, in a branch of their own."""
    rows = [item for branch in report.branches for item in branch.assumptions if item.by == "model"]
    return ", ".join(f"{item.what} = {item.answer}" for item in rows)


def judge_loop(case: Case) -> Verdict:
    """Compare the file that the script leaves with the true one."""
    branches, true = rehearsed(case).branches, case.sections["left"].strip()
    text = _left(branches[0]) if branches else ""
    is_open = not branches or any(item.by == "loop" and _is_open(item.answer) for item in branches[0].assumptions)
    verdict = RIGHT if text == true else UNKNOWN if is_open else WRONG
    return Verdict(case.name, case.kind, verdict, text, true, text == true)


def _is_open(answer: str) -> bool:
    """Whether a report says that it does not know how a loop ends."""
    return not answer or "not known" in answer


def _left(branch: AssumedBranch) -> str:
    lines = [line[1:] for change in branch.changes for line in change.diff if line.startswith("+") and line[1:2] != "+"]
    return "\n".join(lines).removesuffix("  (no end of line)")


def judge_answer(case: Case, answer: Answer | None, true: str) -> Verdict:
    """Compare an answer with the truth."""
    value = None if answer is None else answer.value
    verdict = UNKNOWN if value is None else RIGHT if same_answer(value, true) else WRONG
    executed = answer is not None and answer.how == RUN
    return Verdict(case.name, case.kind, verdict, value, true, verdict == RIGHT, executed=executed)


def judge_ask(case: Case, sure: float) -> Verdict:
    """Ask about a call whose program lacks something."""
    program = Program(source=case.sections["program.py"], call=case.options["call"], name="program.py")
    true = case.sections.get("answer", "").strip() or _true_answer(case)
    return judge_answer(case, ask(program, sure=sure), true)


def _true_answer(case: Case) -> str:
    files = case.files(truth=True)
    source = files.pop("program.py")
    program = Program(source=source, call=case.options["call"], name="program.py", files=tuple(files.items()))
    true = read_answer(Question(), record(program))
    assert true is not None, case.name
    return true


def judge_outputs(case: Case, sure: float) -> Verdict:
    """Ask for the one value of a test file whose set-up cannot run."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = case.files(truth=False)
        write_files(folder, files)
        tests = next(path for path in files if path.startswith("test_"))
        (checked,) = fill_outputs(folder / tests, sure=sure).values
    assert checked.value is None, case.name
    return judge_answer(case, checked.answer, case.sections["answer"].strip())


def judge(case: Case, sure: float) -> Verdict:
    """Judge a case."""
    if case.kind == "rehearse":
        return judge_rehearsal(case)
    if case.kind == "loop":
        return judge_loop(case)
    return judge_ask(case, sure) if case.kind == "ask" else judge_outputs(case, sure)


def share(count: int, total: int) -> str:
    """A count with its share and interval."""
    low, high = wilson(count, total) if total else (0.0, 1.0)
    return f"{count} of {total} ({100 * low:.1f} - {100 * high:.1f} %)"


def main() -> None:
    """Print a line for each case, and the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--sure", type=float, default=0.95)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    verdicts = []
    for path in sorted(CASES.glob("*.txt")):
        if options.only in path.stem:
            verdict = judge(read_case(path), options.sure)
            verdicts.append(verdict)
            how = " (executed)" if verdict.executed else ""
            print(f"{verdict.name:24} {verdict.verdict}{how}", flush=True)
            if verdict.by_model:
                print(f"    the model's values: {verdict.by_model}", flush=True)
            if verdict.verdict != RIGHT:
                print(f"    predicted {verdict.predicted}\n    true      {verdict.true}", flush=True)
    kinds = Counter(verdict.kind for verdict in verdicts)
    for kind, total in [*sorted(kinds.items()), ("all", len(verdicts))]:
        rows = [verdict for verdict in verdicts if kind in (verdict.kind, "all")]
        counts = Counter(verdict.verdict for verdict in rows)
        some, executed = sum(row.any_branch for row in rows), sum(row.executed for row in rows)
        print(
            f"{kind}: right {share(counts[RIGHT], total)}; does not know {share(counts[UNKNOWN], total)}; "
            f"wrong {share(counts[WRONG], total)}; the truth among its branches: {some}; executed: {executed}"
        )
    if options.json:
        options.json.write_text(json.dumps([asdict(verdict) for verdict in verdicts], indent=1, default=list))


if __name__ == "__main__":
    main()
