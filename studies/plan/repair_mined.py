"""Real one-line fixes out of git histories: a function before and after, and drawn calls that tell the two apart.

Used by repair.py. Of each commit's Python files that it changes in exactly one line (not tests, not merges), functions
that stand alone and can be called are taken; the version after the commit is taken for right. The tests are drawn
calls: at least one on which the two differ, and up to twelve in all. No fix was seen before the edit set was written.
"""

from __future__ import annotations

import ast
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from worldline.core.program import Program
from worldline.data.mine.extract import ExtractedFunction, extract_functions
from worldline.data.mine.inputs import draw_arguments
from worldline.data.mine.types import guess_signature
from worldline.plan.repair.checks import CheckSet, RepairCheck
from worldline.recording.calls import CallBatch, Caller

DRAWN, KEPT, SECONDS = 60, 12, 0.1
_WORDS = "fix|bug|wrong|incorrect|mistake|error|off by|typo in|correct"


@dataclass(frozen=True)
class MinedFix:
    """One real fix: where it is from, the function before and after, and its tests."""

    origin: str
    function: str
    before: str
    after: str
    tests: CheckSet


def one_liners(git: Path, *, most: int) -> Iterator[tuple[str, str]]:
    """Commits and files of which they change exactly one line, newest first."""
    command = [
        "git", f"--git-dir={git}", "log", "--no-merges", "--diff-filter=M", "-p", "-U0", "-E", "-i", f"--grep={_WORDS}",
        f"--max-count={most}", "--format=@@@%H", "--", "*.py",
    ]  # fmt: skip
    text = subprocess.run(command, capture_output=True, check=False).stdout.decode("utf-8", "replace")
    for commit in text.split("\n@@@"):
        digest, _, rest = commit.lstrip("@").partition("\n")
        for part in rest.split("diff --git ")[1:]:
            name = part.partition("\n")[0].rpartition(" b/")[2]
            body = part.partition("\n@@ ")[2]
            lines = [line for line in body.splitlines()[1:] if line[:1] in ("+", "-")]
            if part.count("\n@@ ") == 1 and [line[:1] for line in lines] == ["-", "+"] and "test" not in name:
                yield digest.strip(), name


def mined(git: Path, runs: Caller, *, most: int, seed: int) -> Iterator[MinedFix]:
    """The fixes of one repository that can be posed."""
    rng = Random(f"mined {git.parent.name} {seed}")
    for digest, name in one_liners(git, most=most):
        before, after = (_blob(git, f"{at}:{name}") for at in (f"{digest}^", digest))
        if before and after and (pair := _function(before, after)) is not None:
            origin = f"{git.parent.name}@{digest[:10]}:{name}"
            found = _posed(origin, *pair, runs, rng)
            if found is not None:
                yield found


def _blob(git: Path, name: str) -> str:
    done = subprocess.run(["git", f"--git-dir={git}", "show", name], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace") if not done.returncode else ""


def _function(before: str, after: str) -> tuple[ExtractedFunction, ExtractedFunction] | None:
    """The function that differs, alone, in both versions: in one line, and in what it does."""
    with tempfile.TemporaryDirectory() as folder:
        old, new = (_alone(Path(folder) / name, text) for name, text in (("a.py", before), ("b.py", after)))
    differing = [(old[name], new[name]) for name in old.keys() & new.keys() if _differ(old[name], new[name])]
    return differing[0] if len(differing) == 1 else None


def _alone(path: Path, text: str) -> dict[str, ExtractedFunction]:
    path.write_text(text)
    try:
        found = [each.without_neighbours() for each in extract_functions(path)]
    except (SyntaxError, ValueError, RecursionError):
        return {}
    return {each.node.name: each for each in found if isinstance(each.node, ast.FunctionDef)}


def _differ(one: ExtractedFunction, other: ExtractedFunction) -> bool:
    lines = one.source.splitlines(), other.source.splitlines()
    if len(lines[0]) != len(lines[1]) or sum(a != b for a, b in zip(*lines, strict=True)) != 1:
        return False
    return ast.dump(ast.parse(one.source)) != ast.dump(ast.parse(other.source))


def _posed(origin: str, old: ExtractedFunction, new: ExtractedFunction, runs: Caller, rng: Random) -> MinedFix | None:
    assert isinstance(new.node, ast.FunctionDef)
    takes = guess_signature(new.node, new.source)
    wrap = "list({})" if takes.yields else "{}"
    name = new.node.name
    drawn = [wrap.format(f"{name}({', '.join(draw_arguments(rng, takes))})") for _ in range(DRAWN)]
    calls = tuple(dict.fromkeys(drawn))
    right = runs.run(CallBatch(new.source, calls, seconds=SECONDS))
    wrong = runs.run(CallBatch(old.source, calls, seconds=SECONDS))
    failing, passing = list[RepairCheck](), list[RepairCheck]()
    for call, good, bad in zip(calls, right, wrong, strict=True):
        value = _literal(good.value) if good.kind == "returned" else ...
        if value is ...:
            continue
        if bad.kind not in ("returned", "raised"):
            continue  # a difference of time alone
        check = RepairCheck(call=call, value=value, is_valued=True)
        (passing if check.passes(bad) else failing).append(check)
    if not failing or len(failing) + len(passing) < 4:
        return None
    checks = (*failing[: KEPT // 2], *passing[: KEPT // 2])
    return MinedFix(origin, name, old.source, new.source, CheckSet(name="program.py", checks=checks))


def _literal(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return ...


def program_of(fix: MinedFix) -> Program:
    """The program to repair."""
    return Program(source=fix.before)
