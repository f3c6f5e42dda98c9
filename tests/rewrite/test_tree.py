"""Trees are walked as `ast` walks them, contexts and operators apart, and compared as their dumps are."""

from __future__ import annotations

import ast
import random

import pytest

from worldline.analyze.rewrite.tree import alike, children, walk
from worldline.programs import generate

pytestmark = pytest.mark.unit

SOURCES = [generate.program(random.Random(seed)).source for seed in range(150)]


@pytest.mark.parametrize("source", SOURCES[:40])
def test_walked_is_what_ast_walks(source: str) -> None:
    tree = ast.parse(source)
    idle = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop)
    assert walk(tree) == [node for node in ast.walk(tree) if not isinstance(node, idle)]
    assert children(tree) == tree.body


def test_alike_is_equality_of_dumps() -> None:
    trees = [
        ast.parse(source) for source in (*SOURCES, "x = 1", "x = True", "x = 1.0", "x = -0.0", "x = 0.0", "x = b''")
    ]
    again = [ast.parse(ast.unparse(tree)) for tree in trees]
    for one, same, other in zip(trees, again, [*trees[1:], trees[0]], strict=True):
        assert alike(one, same) == (ast.dump(one) == ast.dump(same))
        assert not alike(one, other)
