"""Guided programs: the same for a seed, structurally distinct, executed as their evaluator says, split-safe."""

from __future__ import annotations

import ast
import random
import re
from collections import Counter

import pytest

import worldline
from worldline.core.program import Program
from worldline.data.mixture import DOCUMENT_LIMITS, Mixture, Mode, Source, draw_documents
from worldline.programs.generate.guided import program
from worldline.programs.generate.guided.arguments import KINDS, draw_argument, mutate
from worldline.programs.generate.guided.draft import HOLES
from worldline.programs.generate.guided.evaluator import BeyondSubsetError, Env, GuidedEvaluator, ReturnSignal
from worldline.programs.generate.language.library import text as template_text
from worldline.programs.split import program_key, split_of

METHODS = (
    "replace", "strip", "lstrip", "rstrip", "count", "index", "find", "rfind", "center", "ljust", "rjust", "zfill",
    "split", "rsplit", "partition", "rpartition", "format", "translate", "maketrans", "popitem", "swapcase", "title",
    "insert", "remove", "pop", "isalpha", "isdigit", "isupper", "islower", "setdefault", "update", "join",
)  # fmt: skip


def draw(count: int) -> list[Program]:
    return [program(random.Random(seed)) for seed in range(count)]


@pytest.fixture(scope="module")
def drawn() -> list[Program]:
    return draw(1000)


class _Blank(ast.NodeTransformer):
    """Blanks names and constants."""

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name("x", node.ctx)

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        return ast.Constant(0)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg("x")

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = "f"
        return self.generic_visit(node)


def test_same_seed_same_program() -> None:
    assert draw(100) == draw(100)


def test_structures_are_distinct(drawn: list[Program]) -> None:
    structures = {ast.dump(_Blank().visit(ast.parse(item.source))) for item in drawn}
    assert len(structures) >= 970


def test_functions_are_short_and_use_what_they_take(drawn: list[Program]) -> None:
    lengths = [len(item.source.splitlines()) for item in drawn]
    assert 5 <= sum(lengths) / len(lengths) <= 10
    functions = [node for item in drawn for node in ast.parse(item.source).body if isinstance(node, ast.FunctionDef)]
    assert len(functions) == len(drawn)
    assert all(1 <= len(node.args.args) <= 3 for node in functions)
    unused = 0
    for node in functions:
        names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
        unused += any(parameter.arg not in names for parameter in node.args.args)
    assert unused <= 0.03 * len(drawn)


def test_every_method_of_the_weaknesses_occurs(drawn: list[Program]) -> None:
    used = Counter(
        node.attr for item in drawn for node in ast.walk(ast.parse(item.source)) if isinstance(node, ast.Attribute)
    )
    assert {method: used[method] for method in METHODS if used[method] < 4} == {}


def test_recorded_programs_end_and_stay_small() -> None:
    kinds: Counter[str] = Counter()
    steps = []
    for trace in worldline.record_many(draw(150), limits=DOCUMENT_LIMITS):
        kinds[trace.outcome.kind] += 1
        steps.append(len(trace))
    assert kinds["returned"] + kinds["raised"] == 150
    assert 0 < kinds["raised"] <= 12
    assert 12 <= sum(steps) / 150 <= 60


def test_evaluator_agrees_with_the_recorder() -> None:
    """The evaluator returns what a real run returns, for every program that it can evaluate."""
    compared = 0
    programs = draw(150)
    for item, trace in zip(programs, worldline.record_many(programs, limits=DOCUMENT_LIMITS), strict=True):
        call = ast.parse(item.call or "", mode="eval").body
        if trace.outcome.kind != "returned" or not isinstance(call, ast.Call):
            continue
        function = ast.parse(item.source).body[0]
        assert isinstance(function, ast.FunctionDef)
        names = [parameter.arg for parameter in function.args.args]
        env: Env = dict(zip(names, map(ast.literal_eval, call.args), strict=True))
        body = [node for node in function.body if not isinstance(node, ast.Expr) or isinstance(node.value, ast.Call)]
        with pytest.raises(ReturnSignal) as caught:
            GuidedEvaluator(10_000).block(body, env)
        compared += 1
        assert repr(caught.value.value) == trace.outcome.detail, item.source
    assert compared >= 120


def test_evaluator_refuses_what_is_outside_its_subset() -> None:
    for text in ("open('x')", "''.__class__", "__import__('os')", "'x' * 10 ** 9", "'ab' * 400", "[i for i in x]"):
        with pytest.raises(BeyondSubsetError):
            GuidedEvaluator(10).expression(ast.parse(text, mode="eval").body, {})
    with pytest.raises(BeyondSubsetError):
        GuidedEvaluator(50).block(ast.parse("while True:\n    pass").body, {})


@pytest.mark.parametrize("kind", KINDS)
def test_mutations_differ_a_little_and_keep_the_type(kind: str) -> None:
    rng = random.Random(kind)
    values = [draw_argument(rng, kind) for _ in range(200)]
    before = [repr(value) for value in values]
    mutated = [mutate(rng, value) for value in values]
    assert [repr(value) for value in values] == before
    assert all(type(old) is type(new) for old, new in zip(values, mutated, strict=True))
    assert sum(old != new for old, new in zip(values, mutated, strict=True)) >= 150


def test_documents_have_the_split_that_was_chosen() -> None:
    source = Source(kind="generate", program="worldline.programs.generate.guided:program")
    mixture = Mixture(sources=(source,), modes=(Mode(weight=1.0),), split="test", max_bytes=32_768)
    documents = draw_documents(mixture, seed=3, trust=True)
    chosen = [next(documents) for _ in range(12)]
    documents.close()  # type: ignore[attr-defined]
    assert all(split_of(item.key) == "test" for item in chosen)
    assert {split_of(program_key(item)) for item in draw(300)} == {"train", "valid", "test"}


def test_every_hole_of_the_templates_is_known() -> None:
    known = {*HOLES, "x", "pair", "new", "new2", "acc", "e", "p", "0"}
    for name in ("operations", "conditions", "changes", "blocks", "actions", "headers"):
        assert set(re.findall(r"\$(\w+)", template_text(f"guided/{name}"))) <= known, name
