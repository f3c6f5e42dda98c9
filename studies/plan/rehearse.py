"""How much of what 60 scripts do a rehearsal tells, by kind of effect, and what it misses, beside reading the text.

`python studies/plan/rehearse.py [--n 60] [--seed 0] [--wall 5] [--json FILE] [--imagine BYTES]`

The scripts and what each does stand in `scripts/`. An effect is found where kind and target agree (of a host without
port and path); a call that was only read in the text where kind and line agree. The expectations were
written before the first run; `scripts/README.md` has what was corrected afterwards. With `--imagine` the shipped model
is asked which of the calls in each text are reached, as the verb does where nothing can be run.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import random
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.stats import wilson
from worldline.plan.rehearse.effect import IMAGINED, KINDS, LEFT, TEXT, TOLD, ScriptEffect, host
from worldline.plan.rehearse.fallback import completed, supposed
from worldline.plan.rehearse.rehearse import Rehearsal, Staging, rehearse_executed
from worldline.plan.rehearse.visible import visible
from worldline.predict.models import load_model
from worldline.predict.predictor import Predictor

SCRIPTS = Path(__file__).parent / "scripts"
TOUCHING = ("write", "delete", "rename", "change", "start", "signal", "send", "listen", "native")
_EFFECT = re.compile(r"(\S+) (.*?)(?: @(\d+))?")


@dataclass(frozen=True)
class Expected:
    """One effect that a script has."""

    kind: str
    target: str
    line: int = 0


@dataclass(frozen=True)
class Judged:
    """A script and what it does."""

    name: str
    group: str
    argv: tuple[str, ...]
    stdin: str
    source: str
    effects: tuple[Expected, ...]


@dataclass(frozen=True)
class Score:
    """How one way of knowing did on one script."""

    right: tuple[ScriptEffect, ...]
    wrong: tuple[ScriptEffect, ...]
    found: tuple[Expected, ...]
    missed: tuple[Expected, ...]
    lines: int  # of those found whose line is expected, how many have it
    lined: int


def sections(path: Path) -> Iterator[tuple[str, str]]:
    """Each heading of a file with the text below it."""
    for part in re.split(r"^=== ", path.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        head, _, text = part.partition("\n")
        yield head, text


def scripts() -> list[Judged]:
    """All of them."""
    return [
        _judged(group, *section)
        for group in ("harmless", "touching", "hard")
        for section in sections(SCRIPTS / f"{group}.txt")
    ]


def _judged(group: str, head: str, text: str) -> Judged:
    name, *argv = head.split()
    source, _, expected = text.rpartition("---\n") if "---\n" in text else (text, "", "")
    stdin = "".join(f"{line[2:]}\n" for line in source.splitlines() if line.startswith("< "))
    code = "\n".join(line for line in source.split("\n") if not line.startswith("< "))
    effects = []
    for line in expected.splitlines():
        found = _EFFECT.fullmatch(line)
        assert found is not None, (name, line)
        assert found[1] in KINDS, (name, line)
        effects.append(Expected(found[1], found[2], int(found[3] or 0)))
    return Judged(name, group, tuple(argv), stdin, code, tuple(effects))


def make_folder(root: Path) -> None:
    """The folder that all scripts run in."""
    for name, text in sections(SCRIPTS / "folder.txt"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def is_same(expected: Expected, effect: ScriptEffect) -> bool:
    """Whether an effect that was told is one that was expected."""
    if effect.kind != expected.kind:
        return False
    if effect.seen not in (TOLD, LEFT):
        return effect.line == expected.line
    if effect.kind in ("send", "listen"):
        return host(effect.target) == host(expected.target)
    return fnmatch.fnmatchcase(effect.target, expected.target)


def score(script: Judged, effects: list[ScriptEffect]) -> Score:
    """What of it is right, what is not, and what was missed; the same thing told twice counts once."""
    once = {(each.kind, each.target, each.line if each.seen in (TEXT, IMAGINED) else 0): each for each in effects}
    right = [each for each in once.values() if any(is_same(one, each) for one in script.effects)]
    wrong = [each for each in once.values() if each not in right]
    found = [one for one in script.effects if any(is_same(one, each) for each in right)]
    missed = [one for one in script.effects if one not in found]
    lined = [one for one in found if one.line]
    lines = sum(any(is_same(one, each) and each.line == one.line for each in effects) for one in lined)
    return Score(tuple(right), tuple(wrong), tuple(found), tuple(missed), lines, len(lined))


def rehearsed(script: Judged, wall: float) -> Rehearsal:
    """One script in a fresh folder; what is cut short is completed by its text, as the verb does, without a model."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_folder(folder)
        (folder / "script.py").write_text(script.source, "utf-8")
        staging = Staging(folder=folder, argv=script.argv, stdin=script.stdin)
        found = rehearse_executed(folder / "script.py", staging, limits=replace(Limits(), wall=wall))
        return completed(found, staging, None, limit=0) if found.is_cut else found


@cache
def _model() -> Predictor:
    return load_model("default")


def imagined_of(script: Judged, limit: int) -> list[ScriptEffect]:
    """The calls in a script's text on lines that the model takes to be reached."""
    program = Program(source=script.source, name="script.py", argv=script.argv, stdin=script.stdin)
    return [effect for effect in supposed(program, _model(), limit) if effect.seen == IMAGINED]


def share(some: int, n: int) -> str:
    """A share with its interval."""
    if not n:
        return "-"
    low, high = wilson(some, n)
    return f"{some}/{n} {some / n:.1%} ({low:.0%}-{high:.0%})"


def main() -> None:
    """Run them, print tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--wall", type=float, default=5.0)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--imagine", type=int, default=0, metavar="BYTES")
    asked = parser.parse_args()
    every = scripts()
    chosen = every if asked.n >= len(every) else random.Random(asked.seed).sample(every, asked.n)
    began, rows = time.process_time(), []
    ways: dict[str, dict[str, Score]] = {"rehearsed": {}, "with the text": {}, "text alone": {}}
    for script in chosen:
        found = rehearsed(script, asked.wall)
        run = [effect for effect in found.effects if effect.seen in (TOLD, LEFT)]
        ways["rehearsed"][script.name] = score(script, run)
        ways["with the text"][script.name] = score(script, list(found.effects))
        ways["text alone"][script.name] = score(script, visible(script.source, "python"))
        if asked.imagine:
            ways.setdefault("imagined", {})[script.name] = score(script, imagined_of(script, asked.imagine))
        rows.append((script, found))
        _print_script(script, ways["rehearsed"][script.name])
    for way, scores in ways.items():
        print_way(way, scores)
        print_verdicts([script for script, _ in rows], scores)
    print(f"\nCPU of the host {time.process_time() - began:.1f} s")
    if asked.json:
        asked.json.write_text(json.dumps([{"name": s.name, "group": s.group, **f.as_json()} for s, f in rows]))


def _print_script(script: Judged, found: Score) -> None:
    for title, effects in (("wrong", found.wrong), ("missed", found.missed)):
        for effect in effects:
            print(f"{script.group:9} {script.name:22} {title:6} {effect.kind} {effect.target} @{effect.line}")


def print_way(way: str, scores: dict[str, Score]) -> None:
    """Precision and recall by kind, and of lines."""
    right: dict[str, int] = defaultdict(int)
    told, found, there = right.copy(), right.copy(), right.copy()
    for each in scores.values():
        for kind in KINDS:
            right[kind] += sum(effect.kind == kind for effect in each.right)
            told[kind] += sum(effect.kind == kind for effect in (*each.right, *each.wrong))
            found[kind] += sum(effect.kind == kind for effect in each.found)
            there[kind] += sum(effect.kind == kind for effect in (*each.found, *each.missed))
    print(f"\n{way}: {len(scores)} scripts\n{'kind':12} {'precision':28} recall")
    for kind in KINDS:
        print(f"{kind:12} {share(right[kind], told[kind]):28} {share(found[kind], there[kind])}")
    totals = [sum(each.values()) for each in (right, told, found, there)]
    print(f"{'all':12} {share(totals[0], totals[1]):28} {share(totals[2], totals[3])}")
    lines = [(each.lines, each.lined) for each in scores.values()]
    print(f"lines right {share(sum(a for a, _ in lines), sum(b for _, b in lines))}")


def print_verdicts(chosen: list[Judged], scores: dict[str, Score]) -> None:
    """Whether a script touches anything at all: harmless ones told as touching, touching ones told as harmless."""
    for group in ("harmless", "touching", "hard"):
        mine = [script for script in chosen if script.group == group]
        told = sum(
            any(effect.kind in TOUCHING for effect in (*scores[s.name].right, *scores[s.name].wrong)) for s in mine
        )
        print(f"told as touching something, {group:9} {share(told, len(mine))}")


if __name__ == "__main__":
    main()
