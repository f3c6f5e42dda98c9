"""Lines that can never run, and prompts that leave them out."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from types import CodeType

import pytest
from cwm_sources import HUMANEVAL, STATEMENTS

from worldline.analyze.flow.idle import idle_lines
from worldline.codec.compact.prompt import Compact, Prompt, parse_prompt, prompt
from worldline.core.program import Program

pytestmark = pytest.mark.unit

SOURCE = '''# a comment

def f(x):
    """What it does:

    # not a comment, but idle
    """
    y = """kept
# kept too
"""
    "runs"
    z = y
    return z  # runs


def only():
    """Its only line, which runs."""
'''


def test_comments_blanks_and_docstrings_are_idle() -> None:
    assert idle_lines(SOURCE) == {1, 2, 4, 5, 6, 7, 14, 15}


def lines_that_run(code: CodeType) -> Iterator[int]:
    """Every line that the compiler gave an instruction, in a code object and those inside it."""
    yield from (line for _, _, line in code.co_lines() if line)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from lines_that_run(constant)


@pytest.mark.parametrize("source", [SOURCE, STATEMENTS, '"""Doc."""\nclass C:\n    """Doc."""\n    x = 1\n'])
def test_no_idle_line_has_an_instruction(source: str) -> None:
    assert idle_lines(source).isdisjoint(lines_that_run(compile(source, "p", "exec")))


@pytest.mark.skipif(not HUMANEVAL.exists(), reason="the shared data is not here")
def test_no_idle_line_of_humaneval_has_an_instruction() -> None:
    with gzip.open(HUMANEVAL, "rt") as rows:
        sources = [row["prompt"] + row["canonical_solution"] for row in map(json.loads, rows)]
    idle = [idle_lines(source) for source in sources]
    assert all(idle)
    for source, lines in zip(sources, idle, strict=True):
        assert lines.isdisjoint(lines_that_run(compile(source, "p", "exec")))


def test_a_source_that_does_not_parse_has_no_idle_lines() -> None:
    assert idle_lines("def f(:\n\n") == idle_lines("x = '\n\n") == frozenset()


def test_a_bare_prompt_keeps_the_numbers_and_reads_back() -> None:
    data = prompt(Program(source=SOURCE, call="f(1)"), Compact(bare=True))
    assert data.startswith(b'# bare\n3|def f(x):\n8|    y = """kept\n9|# kept too\n10|"""\n11|')
    parsed = parse_prompt(data)
    assert isinstance(parsed, Prompt)
    assert parsed.options == Compact(bare=True)
    assert prompt(parsed.program, parsed.options) == data
    assert parsed.program.source.splitlines()[2] == "def f(x):"


ODD = [
    'def f():\n    "one"\n    "two"\n    return 1\n',
    'def f():\n    ("one"\n     "two")\n    return 1\n',
    'def f(): "one"; return 1\n',
    'def f():\n    "one" # and\n    # more\n    return 1\n',
    "# only\n\n",
    'def f():\n    """é\n    """\n    def g():\n        """g"""\n        return 1\n    return g\n',
]


@pytest.mark.parametrize("source", [*ODD, SOURCE, STATEMENTS])
def test_leaving_out_idle_lines_is_idempotent(source: str) -> None:
    data = prompt(Program(source=source), Compact(bare=True))
    parsed = parse_prompt(data)
    assert isinstance(parsed, Prompt)
    assert prompt(parsed.program, parsed.options) == data
    assert idle_lines(source).isdisjoint(lines_that_run(compile(source, "p", "exec")))


def test_a_line_number_cannot_allocate_memory() -> None:
    parsed = parse_prompt(b"# bare\n4000000000|x = 1\n>\n")
    assert not isinstance(parsed, Prompt)
