"""Which names a line assigns, read from the source."""

from __future__ import annotations

from textwrap import dedent

import pytest

from worldline.analyze.flow.assigned import assigned_names, is_plain


def names(source: str) -> dict[int, tuple[str, ...]]:
    return {line: entry.names for line, entry in assigned_names(dedent(source)).items() if entry.names}


def test_targets_mutated_values_and_loops() -> None:
    source = """\
    def f(xs, d, text):
        a, (b, *c) = xs, text
        xs[0].field = 1
        d[a] += 2
        for i, (j, k) in xs:
            xs.append(c.pop())
        del xs[1], b
        text: str = 'x'
        return d.setdefault(1, [])
    """
    assert names(source) == {
        2: ("a", "b", "c"),
        3: ("xs",),
        4: ("d",),
        5: ("i", "j", "k"),
        6: ("xs", "c"),
        7: ("xs",),
        8: ("text",),
        9: ("d",),
    }
    assert assigned_names(dedent(source))[5].body == {6}


@pytest.mark.parametrize(
    "statement",
    [
        "x = (1 +\n        2)",
        "x = 1; y = 2",
        "if x: y = 1",
        "x = [i for i in y]",
        "x = yield 1",
        "with y as x:\n        pass",
        "CACHE[1] = 2",
        "__private = 1",
        "y and xs.pop()",
        "f(lambda: xs.pop())",
        "x.upper()",
    ],
)
def test_nothing_is_said_of_lines_that_may_not_assign_or_have_several_steps(statement: str) -> None:
    source = f"CACHE = {{}}\ndef f(x, xs, y):\n    {statement}\n    return x\n"
    assert 3 not in names(source)


def test_a_global_is_not_a_name_of_the_frame_and_a_variable_of_the_function_around_is() -> None:
    source = """\
    total = 0
    def f():
        global total
        count = 0
        total = 1
        def g():
            nonlocal count
            count = 2
        g()
    """
    assert names(source) == {1: ("total",), 4: ("count",), 8: ("count",)}


def test_closed_lines_change_nothing_else() -> None:
    source = """\
    def f(xs, s):
        a = s.strip() + str(len(xs))
        b = g(xs)
        c = sorted(xs, key=g)
        xs += [1]
        if a == s[1:]:
            return s.find(a)
        while xs.pop():
            pass
        try:
            d = xs[a]
        except KeyError as e:
            d = 1
    """
    closed = {line for line, entry in assigned_names(dedent(source)).items() if entry.closed}
    assert closed == {2, 6, 7, 9, 11}
    stored = "def f(xs):\n    g = (x for x in xs)\n    return sum(g)\n"
    assert not assigned_names(stored)[3].closed
    assert is_plain(dedent(source))
    assert not is_plain("from collections import defaultdict")


def test_a_source_that_is_not_python_has_none() -> None:
    assert not assigned_names("def f(:\n")
