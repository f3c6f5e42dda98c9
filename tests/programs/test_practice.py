"""Drills are seeded, compile, nearly all return, and hold what models fail at: escapes, scripts, doubled keys."""

from __future__ import annotations

import ast
import random
from collections import Counter

import pytest

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.programs import generate, tasks
from worldline.programs.generate import practice
from worldline.programs.generate.language.library import blocks

pytestmark = pytest.mark.unit


def outcome(program: Program) -> str:
    names: dict[str, object] = {}
    exec(compile(program.source, "<program>", "exec"), names)
    try:
        eval(compile(program.call or "", "<call>", "eval"), names)
    except Exception as error:
        return type(error).__name__
    return "returned"


@pytest.mark.parametrize("name", practice.DRILLS)
def test_drills_are_seeded_and_return(name: str) -> None:
    draw, one, other = practice.of(name), random.Random(2), random.Random(2)
    found: Counter[str] = Counter()
    for _ in range(300):
        program = draw(one)
        assert program == draw(other)
        found[outcome(program)] += 1
    assert found["returned"] > 280


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_every_block_is_drawn() -> None:
    rng, drawn = random.Random(3), Counter(practice.program(random.Random(n)).source for n in range(40))
    assert len(drawn) > 35
    for name in practice.DRILLS:
        calls = " ".join(practice.of(name)(rng).call or "" for _ in range(100 * len(blocks(f"drills/{name}"))))
        assert len(calls) > 1000
        if name in ("searches", "copies"):
            assert "\\n" in calls
            assert not calls.isascii()
    doubled = [tree for n in range(400) if (tree := _doubled(practice.of("dicts")(random.Random(n)).call or ""))]
    assert len(doubled) > 40


def _doubled(call: str) -> bool:
    """Whether a dict of the call names a key twice."""
    dicts = [node for node in ast.walk(ast.parse(call)) if isinstance(node, ast.Dict)]
    keys = [[ast.dump(key) for key in node.keys if key] for node in dicts]
    return any(len(set(each)) < len(each) for each in keys)


def test_one_kind_can_be_had_alone() -> None:
    assert {*generate.HARD} <= generate.KINDS.keys()
    rng = random.Random(4)
    for kind in generate.HARD:
        compile(generate.of(kind)(rng).source, "<program>", "exec")
    assert len({generate.hard(rng).source for _ in range(50)}) > 45
    with pytest.raises(UsageError, match="kind"):
        generate.of("soft")
    with pytest.raises(UsageError, match="unknown drill"):
        practice.of("soft")


def test_shuffles_are_short() -> None:
    rng = random.Random(5)
    lengths = [tasks.shuffles(rng).source.count("\n") for _ in range(100)]
    assert max(lengths) <= tasks.MAX_SHORT_LINES + 20
    assert min(lengths) < 14
