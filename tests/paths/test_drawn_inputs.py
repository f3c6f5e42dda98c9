"""Drawn arguments are of the types that were said, with the constants of the source; arcs are of what is named."""

from __future__ import annotations

import ast
from random import Random
from typing import Any

import pytest

from worldline.core.program import Program
from worldline.plan.paths.arcs import find_arcs
from worldline.plan.paths.draw import Drawer
from worldline.plan.paths.target import find_target, read_call

pytestmark = pytest.mark.unit


def drawn(source: str, count: int = 60) -> list[Any]:
    """The first argument of so many drawn calls of `f`, as values."""
    drawer, rng = Drawer(find_target(Program(source=source), "f")), Random(1)
    nodes = [ast.parse(drawer.call(rng), mode="eval").body for _ in range(count)]
    return [ast.literal_eval(node.args[0]) for node in nodes if isinstance(node, ast.Call)]


@pytest.mark.parametrize(
    ("annotation", "fits"),
    [
        ("int", lambda v: type(v) is int),
        ("'int'", lambda v: type(v) is int),
        ("float", lambda v: type(v) is float),
        ("bool", lambda v: type(v) is bool),
        ("str", lambda v: type(v) is str),
        ("bytes", lambda v: type(v) is bytes),
        ("None", lambda v: v is None),
        ("int | None", lambda v: v is None or type(v) is int),
        ("Optional[str]", lambda v: v is None or type(v) is str),
        ("Union[int, List[str]]", lambda v: type(v) is int or all(type(e) is str for e in v)),
        ("List[List[int]]", lambda v: all(type(e) is int for row in v for e in row)),
        ("list[tuple[int, str]]", lambda v: all(type(a) is int and type(b) is str for a, b in v)),
        ("Tuple[int, ...]", lambda v: type(v) is tuple and all(type(e) is int for e in v)),
        ("typing.Dict[str, List[float]]", lambda v: all(type(k) is str and type(e) is list for k, e in v.items())),
        ("Sequence[bool]", lambda v: all(type(e) is bool for e in v)),
        ("Literal['a', 3]", lambda v: v in ("a", 3)),
        ("Annotated[int, 'positive']", lambda v: type(v) is int),
        ("Row", lambda v: type(v) is list and all(type(e) is int for e in v)),
    ],
)
def test_arguments_have_the_annotated_type(annotation: str, fits: Any) -> None:
    source = f"Row = List[int]\n\ndef f(x: {annotation}):\n    return x\n"
    values = drawn(source)
    assert len(values) == 60
    assert all(map(fits, values))


def test_constants_of_the_source_are_planted_and_docstrings_are_not() -> None:
    source = 'def f(s: str):\n    """Not planted."""\n    return s == "the very text"\n'
    values = drawn(source, 300)
    assert "the very text" in values
    assert not any("Not planted" in value for value in values)


def test_arcs_are_those_of_the_function_and_of_what_it_names() -> None:
    source = """\
def helper(x):
    while x > 3:
        x -= 1
    return x


def stranger(x):
    if x:
        return 1
    return 0


def f(xs):
    for x in xs:
        helper(x)
    assert xs
    try:
        return xs[0]
    except IndexError:
        return None
"""
    arcs = sorted(find_arcs(source, "f"))
    assert [(arc.line, arc.column, arc.kind, arc.taken) for arc in arcs] == [
        (2, 10, "while", False), (2, 10, "while", True), (14, 4, "for", False), (14, 4, "for", True),
        (16, 11, "assert", True), (19, 4, "except", True),
    ]  # fmt: skip
    assert {arc.function for arc in arcs} == {"helper", "f"}


def test_a_call_is_read() -> None:
    assert read_call("f") == ("f", "")
    assert read_call("f(1, 'b')") == ("f", "f(1, 'b')")
    assert read_call("list(f(3))") == ("f", "f(3)")
    assert read_call("list(x)") == ("list", "list(x)")
