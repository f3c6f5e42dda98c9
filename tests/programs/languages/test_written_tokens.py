"""The normal form of programs in languages of braces: a renaming does not change it, anything else does."""

from __future__ import annotations

import re
from random import Random

import pytest

from worldline.core.program import Program
from worldline.programs.languages import draw
from worldline.programs.languages.tokens import definitions, normal, tokens
from worldline.programs.split import execution, program_key

pytestmark = pytest.mark.unit

JS = "// sums\nfunction total(xs) {\n  let s = 0; /* all */\n  for (const x of xs) s += x;\n  return s;\n}\n"


def test_comments_and_layout_are_dropped_and_names_numbered() -> None:
    other = "function f(a){let t=0;for(const b of a)t+=b;return t;}"
    assert normal(JS) == normal(other)
    assert normal(JS) != normal(JS.replace("+=", "-="))
    assert normal(JS) != normal(JS.replace("= 0", "= 1"))


def test_names_of_others_stay() -> None:
    assert normal("let s = t.toUpperCase();") != normal("let s = t.toLowerCase();")
    assert normal("class P { m() { return this.x; } }") == normal("class Q { k() { return this.y; } }")
    assert normal('let a = "it\'s // no comment";') != normal('let a = "it\'s";')


@pytest.mark.parametrize("language", draw.TARGETS)
def test_a_drawn_program_keeps_its_key_under_other_names(language: str) -> None:
    rng = Random(3)
    for _ in range(20):
        program = draw.ordinary(language)(rng)
        name = re.findall(r"(\w+)\(", program.call or "")
        if name:
            source = re.sub(rf"\b{name[0]}\b", "renamed", program.source)
            other = Program(source=source, name=program.name, call=program.call)
            assert program_key(other) == program_key(program)


def test_two_languages_and_two_calls_are_told_apart() -> None:
    one, other = (
        Program(source=JS, name="a.js", call="total([1])"),
        Program(source=JS, name="a.ts", call="total([1])"),
    )
    assert program_key(one) != program_key(other)
    again = Program(source=JS, name="a.js", call="total([2])")
    assert execution(one, program_key(one)) != execution(again, program_key(again))


def test_the_functions_of_a_source_are_found() -> None:
    text = "int f(int a) { if (a) { return 1; } return 2; }\nconst g = (x) => { return x; };\nfn h(y: i32) -> i32 { y }"
    assert [name for name, _ in definitions(text)] == ["f", "g", "h"]
    assert definitions(text)[0][1].endswith("return 2; }")
    assert tokens("a/*b*/->c") == ["a", "->", "c"]
