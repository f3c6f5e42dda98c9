"""Generated programs: same seed, same program; all compile, nearly all return, none grows out of bounds."""

from __future__ import annotations

import ast
import os
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tiers import examples

import worldline
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.data.mixture import BATCH_PROGRAMS, DOCUMENT_LIMITS
from worldline.programs.coverage.coverage import count
from worldline.programs.coverage.required import LEFT_OUT
from worldline.programs.generate import KINDS, program
from worldline.recording.recorder import SandboxWorker, prepare
from worldline.recording.together import record_all, stretched


def draw(count: int, *, start: int = 0) -> list[Program]:
    return [program(random.Random(seed)) for seed in range(start, start + count)]


@pytest.fixture(scope="module")
def many() -> list[Program]:
    return draw(6000)


@pytest.fixture(scope="module")
def trees(many: list[Program]) -> list[ast.Module]:
    return [ast.parse(made.source) for made in many]


@pytest.fixture(scope="module")
def drilled() -> list[Program]:
    drills = [KINDS[kind] for kind in KINDS if kind.startswith("drill")]
    return [drill(random.Random(seed)) for drill in drills for seed in range(1500)]


SEEDS = examples(40, 120)


def test_same_seed_same_program() -> None:
    assert draw(200) == draw(200)
    assert len({made.digest for made in draw(200)}) > 195


@pytest.mark.fuzz
@pytest.mark.parametrize("kind", KINDS)
def test_kind_is_seeded_compiles_and_varies(kind: str) -> None:
    made = [KINDS[kind](random.Random(seed)) for seed in range(SEEDS)]
    assert made == [KINDS[kind](random.Random(seed)) for seed in range(SEEDS)]
    assert len({item.digest for item in made}) > 0.75 * SEEDS
    for item in made:
        compile(item.source, "program.py", "exec")
        assert item.call is not None
        compile(item.call, "call", "eval")


@pytest.mark.long(reason="draws 6,000 programs")
def test_all_compile(many: list[Program]) -> None:
    for made in many:
        compile(made.source, "program.py", "exec")
        assert made.call is not None
        compile(made.call, "call", "eval")


def test_recorded_programs_return_and_stay_small() -> None:
    """Most return; traces and values are of a size that a small model can read."""
    sizes, kinds = [], Counter[str]()
    longest = []
    limits = Limits(steps=5_000)
    for trace in worldline.record_many(draw(400, start=50_000), limits=limits):
        kinds[trace.outcome.kind] += 1
        sizes.append(len(trace))
        values = [text for step in trace.steps for text in step.delta.values()]
        longest.append(max(map(len, values), default=0))
    assert kinds["returned"] >= 0.9 * 400, kinds
    assert kinds["returned"] + kinds["raised"] >= 0.995 * 400, kinds
    sizes.sort()
    assert 5 <= sizes[200] <= 60
    assert 8 <= sum(sizes) / 400 <= 60
    assert sizes[int(0.98 * 400)] <= 400
    assert sum(length > 260 for length in longest) <= 8


TYPES = (str, list, dict, set, tuple, bytes, int, float)


@pytest.fixture(scope="module")
def ran(drilled: list[Program]) -> Counter[str]:
    """What a choice of drills really ran: for every method's name some, with bytes, with sets and with neither."""
    chosen: dict[tuple[str, bool, bool], list[Program]] = {}
    for made in drilled:
        text = f"{made.source}\n{made.call}"
        marks = (re.search(r"\bb['\"]|bytes", text) is not None, re.search(r"\bset\(|\{[^:}]*\}", text) is not None)
        for name in set(re.findall(r"\.(\w+)", made.source)):
            if len(several := chosen.setdefault((name, *marks), [])) < 24:
                several.append(made)
    found: Counter[str] = Counter()
    programs = {made.digest: made for several in chosen.values() for made in several}
    worker = SandboxWorker(
        prepare(limits=stretched(DOCUMENT_LIMITS, BATCH_PROGRAMS), python=None, core="auto", trust=True)
    )
    try:
        for trace in record_all(worker, list(programs.values())):
            if trace is not None:
                found.update(count(trace))
    finally:
        worker.close()
    return found


@pytest.mark.long(reason="draws 6,000 programs")
@pytest.mark.parametrize("kind", TYPES)
def test_every_method_is_generated(kind: type, ran: Counter[str]) -> None:
    """And runs, on a value of its own type: `bytes.center` is not `str.center`."""
    wanted = {name for name in dir(kind) if not name.startswith("_") and callable(getattr(kind, name))}
    seen = {name for name in wanted if ran[f"method {kind.__name__}.{name}"]}
    left_out = {name for name in wanted if f"method {kind.__name__}.{name}" in LEFT_OUT}
    assert wanted - left_out <= seen, sorted(wanted - left_out - seen)


NODES = """
AnnAssign Assert Assign AugAssign Break ClassDef Continue Delete For FunctionDef Global If Import ImportFrom Match
Nonlocal Pass Raise Return Try While With Expr BoolOp NamedExpr BinOp UnaryOp Lambda IfExp Dict Set ListComp SetComp
DictComp GeneratorExp Yield YieldFrom Compare Call FormattedValue JoinedStr Attribute Subscript Starred List Tuple Slice
Add Sub Mult Div Mod Pow LShift RShift BitOr BitXor BitAnd FloorDiv Invert Not USub And Or
Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn
MatchValue MatchSingleton MatchSequence MatchMapping MatchClass MatchStar MatchAs MatchOr
"""


@pytest.mark.long(reason="draws 6,000 programs")
def test_every_construct_is_generated(trees: list[ast.Module]) -> None:
    seen = {type(node).__name__ for tree in trees for node in ast.walk(tree)}
    wanted = set(NODES.split())
    assert wanted <= seen, sorted(wanted - seen)


BUILTINS = """
abs all any ascii bin bool bytes bytearray callable chr dict divmod enumerate filter float format frozenset getattr
hasattr hash hex int isinstance iter len list map max memoryview min next oct ord pow print range repr reversed round
set slice sorted str sum super tuple type zip
"""


@pytest.mark.long(reason="draws 6,000 programs")
def test_every_builtin_is_generated(many: list[Program], drilled: list[Program]) -> None:
    seen = {name for made in (*many, *drilled) for name in re.findall(r"(?<!\.)\b([a-z]+)\(", made.source)}
    assert set(BUILTINS.split()) <= seen, sorted(set(BUILTINS.split()) - seen)


@pytest.mark.long(reason="draws 6,000 programs")
def test_else_and_finally_are_generated(trees: list[ast.Module]) -> None:
    nodes = [node for tree in trees for node in ast.walk(tree)]
    assert any(isinstance(node, ast.For) and node.orelse for node in nodes)
    assert any(isinstance(node, ast.While) and node.orelse for node in nodes)
    assert any(isinstance(node, ast.Try) and node.orelse for node in nodes)
    assert any(isinstance(node, ast.Try) and node.finalbody for node in nodes)
    assert any(isinstance(node, ast.Raise) and node.cause for node in nodes)


CHANCE = {
    "random", "time", "datetime", "uuid", "secrets", "os", "sys", "socket", "tempfile", "threading", "subprocess",
    "platform", "getpass", "locale", "gc", "weakref",
}  # fmt: skip
ADDRESSES = {"id", "open", "input", "vars", "globals", "locals", "eval", "exec", "object"}


def chances(tree: ast.AST) -> set[str]:
    """The names in a program that reach beyond it: modules of chance, imported or not, and builtins."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(part.name.partition(".")[0] for part in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found.add(node.value.id)
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    stored = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    stored |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    stored |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    return (found & CHANCE | called & ADDRESSES) - stored


@pytest.mark.parametrize(
    "source", ["import random", "from time import time", "x = random.random()", "def f(a):\n    return id(a)"]
)
def test_chance_is_seen(source: str) -> None:
    assert chances(ast.parse(source))


@pytest.mark.long(reason="draws 6,000 programs")
def test_nothing_depends_on_chance(trees: list[ast.Module]) -> None:
    """No clock, no randomness, no address."""
    assert set().union(*map(chances, trees)) == set()


SHOWN = """
def shown(value):
    if isinstance(value, (set, frozenset)):
        return "{" + ", ".join(sorted(map(shown, value))) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(shown, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(shown(k) + ": " + shown(value[k]) for k in value) + "}"
    return repr(value)
"""
DRIVER = """
import importlib, signal, sys
sys.path.insert(0, sys.argv[1])
def stop(*_):
    raise TimeoutError
signal.signal(signal.SIGALRM, stop)
for number in range(int(sys.argv[2])):
    signal.alarm(5)
    try:
        print(number, importlib.import_module(f"p{number}").SHOWN)
    except BaseException as error:
        print(number, repr(error))
"""


@pytest.mark.long(reason="draws 6,000 programs")
def test_nothing_depends_on_the_order_of_sets(many: list[Program], tmp_path: Path) -> None:
    """Two hash seeds, the same output and the same results, but for addresses and the order in a set itself."""
    chosen = many[:1500]
    for number, made in enumerate(chosen):
        text = f"{made.source}\n{SHOWN}\nSHOWN = shown({made.call})\n"
        (tmp_path / f"p{number}.py").write_text(text, encoding="utf-8")
    said = []
    for seed in ("1", "2"):
        command = [sys.executable, "-B", "-c", DRIVER, str(tmp_path), str(len(chosen))]
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8:surrogatepass"}
        done = subprocess.run(command, capture_output=True, env=environment, timeout=120, check=True)
        said.append(re.sub(rb"0x[0-9a-f]{6,}", b"0x", done.stdout).split(b"\n"))
    assert len(said[0]) > len(chosen)
    assert [pair for pair in zip(*said, strict=True) if pair[0] != pair[1]] == []
