"""Predictors are told apart by what they declare (`info`, `capabilities`), never by their class or by probing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from imports import parsed

import worldline

pytestmark = pytest.mark.unit

ROOT = Path(worldline.__file__).parent
BOUNDARY = "predict/python_model.py"  # objects of the user's become predictors here
DECLARED = {"info", "capabilities"}
PROBES = {"isinstance", "issubclass", "getattr", "hasattr", "vars", "type"}


@cache
def classes() -> dict[str, ast.ClassDef]:
    """Every class at the top of a module of the package, by name."""
    bodies = (parsed(path).body for path in ROOT.rglob("*.py"))
    return {node.name: node for body in bodies for node in body if isinstance(node, ast.ClassDef)}


@cache
def predictors() -> dict[str, ast.ClassDef]:
    """Those that predict."""
    return {name: node for name, node in classes().items() if any(map(_is_predict, node.body))}


def _is_predict(part: ast.stmt) -> bool:
    return isinstance(part, ast.FunctionDef) and part.name == "predict" and "Iterator" in _names(part.returns)


def _names(node: ast.AST | None) -> set[str]:
    parts = ast.walk(node) if node is not None else iter(())
    return {
        part.id if isinstance(part, ast.Name) else part.attr
        for part in parts
        if isinstance(part, ast.Name | ast.Attribute)
    }


def declared(node: ast.ClassDef) -> set[str]:
    """The attributes that a class gives its objects: in its body, by its bases in the package, or in its methods."""
    own = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    own |= {
        part.target.id for part in node.body if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
    }
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store) and _names(part.value) == {"self"}:
            own.add(part.attr)
    bases = {name for base in node.bases for name in _names(base)} & {*classes()}
    return own.union(*(declared(classes()[name]) for name in bases))


def probes(tree: ast.AST, kinds: set[str]) -> Iterator[str]:
    """Every call that looks at what a predictor is instead of asking it."""
    annotated = {
        argument.arg
        for argument in ast.walk(tree)
        if isinstance(argument, ast.arg) and _names(argument.annotation) & kinds
    }
    for node in ast.walk(tree):
        if not (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in PROBES and node.args
        ):
            continue
        is_of_class = any(_names(other) & kinds for other in node.args[1:])
        is_text = node.func.id == "isinstance" and ast.unparse(node.args[1]) == "str"  # a name, not a model
        if is_of_class or (_is_predictor(node.args[0], annotated) and not is_text):
            yield ast.unparse(node)


def _is_predictor(node: ast.expr, annotated: set[str]) -> bool:
    """Whether an expression is a predictor, or its engine: by its name, or by the annotation of a parameter."""
    if isinstance(node, ast.Attribute):
        return node.attr == "predictor" or (node.attr == "engine" and _is_predictor(node.value, annotated))
    return isinstance(node, ast.Name) and (node.id == "predictor" or node.id in annotated)


def test_every_predictor_declares_what_it_is() -> None:
    found = {name: DECLARED - declared(node) for name, node in predictors().items()}
    assert {"Local", "Server", "Hub", "Interpreter", "Scratchpad", "WatchedPredictor"} <= {*found}
    assert {name: missing for name, missing in found.items() if missing} == {}


def test_no_predictor_is_probed() -> None:
    kinds = {*predictors(), "ScoresText", "AnswersQuestions", "RollsOut", "DecodesBytes"}
    found = {
        path.relative_to(ROOT).as_posix(): list(probes(parsed(path), kinds))
        for path in sorted(ROOT.rglob("*.py"))
        if path.relative_to(ROOT).as_posix() != BOUNDARY
    }
    assert {path: calls for path, calls in found.items() if calls} == {}


@pytest.mark.parametrize(
    "text",
    [
        "isinstance(anything, Local)",
        "isinstance(anything, Local | Hub)",
        "getattr(predictor, 'digest', '')",
        "hasattr(self.predictor, 'answer')",
        "hasattr(predictor.engine, 'feed_all')",
        "def f(model: Predictor):\n    return getattr(model, 'codec', 'compact')",
        "def f(model: Local | None):\n    return hasattr(model.engine, 'feed_all')",
        "type(predictor) is Local",
    ],
)
def test_a_probe_is_seen_however_it_is_written(text: str) -> None:
    assert list(probes(ast.parse(text), {"Predictor", "Local", "Hub"}))


@pytest.mark.parametrize(
    "text",
    [
        "predictor.info.digest",
        "decoder = predictor.capabilities.decodes_bytes",
        "isinstance(predictor.info.name, str)",
        "def f(model: str | Predictor):\n    return isinstance(model, str)",
    ],
)
def test_asking_is_no_probe(text: str) -> None:
    assert list(probes(ast.parse(text), {"Predictor", "Local"})) == []
