"""The template language: names are bound once, alternatives nest and wrap, holes are filled, faults are refused."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from worldline.programs import generate
from worldline.programs.generate import composed, values
from worldline.programs.generate.language import vocabulary
from worldline.programs.generate.language.construction import Construction
from worldline.programs.generate.language.expansion import expand, fill
from worldline.programs.generate.language.library import lines, pools, text, words
from worldline.programs.generate.language.template import TypedHole, hole, parse, template

pytestmark = pytest.mark.unit

TEMPLATES = Path(generate.__file__).parent / "templates"


def expanded(source: str, seed: int = 0, **known: object) -> str:
    return expand(parse(source), Construction(random.Random(seed), strange=0, **known))  # type: ignore[arg-type]


def test_names_are_bound_once_and_kept_apart() -> None:
    for seed in range(50):
        made = expanded("$nums $num $nums $a $b $i $word $word2", seed).split()
        assert made[0] == made[2]
        assert len(set(made)) == 7
        assert made[0] in vocabulary.pool("nums")


def test_names_go_together() -> None:
    """`for word in words`, `left, right`: a role's name suits the name of the one it goes with."""
    for seed in range(80):
        row, col = expanded("$row $col", seed).split()
        if row == "row":
            assert col == "col"
        words_, word = expanded("$words $word", seed).split()
        if words_ == "tokens":
            assert word in ("token", "t", "tok")


def test_alternatives_nest_hold_lines_and_wrap() -> None:
    made = template(":names g\ndef $f():\n«\n    return «1|\\\n        2»\n|\n    pass\n|\n»\n    # end\n:call $f()\n")
    found = {fill(made, random.Random(seed)).source.replace("def g", "def f") for seed in range(60)}
    ends = {"    return 1\n", "    return 2\n", "    pass\n", ""}
    assert found == {f"def f():\n{end}    # end\n" for end in ends}


def test_a_key_takes_the_same_place() -> None:
    found = {expanded("«K:(|[»x«K:)|]»", seed) for seed in range(30)}
    assert found == {"(x)", "[x]"}


def test_a_bar_is_plain_outside_and_behind_a_backslash() -> None:
    assert expanded("a | b") == "a | b"
    assert {expanded("«a \\| b|c»", seed) for seed in range(20)} == {"a | b", "c"}


def test_hints_are_for_annotated_programs() -> None:
    assert expanded("x«^: int»") == "x"
    assert expanded("x«^: int»", annotated=True) == "x: int"
    assert {expanded("x «^=|+=» 1", seed) for seed in range(20)} == {"x ^= 1", "x += 1"}


def test_what_is_bound_stands_everywhere() -> None:
    made = template(":let op,v +,0 | *,1\ndef $f(x):\n    return x $op $v\n:call $f(«#int 3 3»)")
    for seed in range(20):
        program = fill(made, random.Random(seed))
        assert program.source.endswith(("return x + 0\n", "return x * 1\n"))
        assert (program.call or "").endswith("(3)")


def test_values_have_limits() -> None:
    for seed in range(60):
        made = eval(expanded("«#ints 2 4 5 9»", seed))
        assert 2 <= len(made) <= 4
        assert all(5 <= one <= 9 for one in made)


def test_typed_holes_take_a_variable_or_a_literal() -> None:
    scope = Construction(random.Random(1))
    scope.new("char", name="mark")
    found = {expand(parse("‹char›"), scope) for _ in range(60)}
    assert "mark" in found
    assert all(one == "mark" or one[-1] in "'\"" for one in found)
    derived = expanded("‹bool $n:int›", 3, names={"n": "total"})
    assert re.search(r"\btotal\b", derived)


def test_holes_are_spelled_as_in_tables() -> None:
    assert hole("ints!$") == TypedHole("ints!", "$")
    assert hole("bool $c:char $k:small") == TypedHole("bool", "", (("c", "char"), ("k", "small")))
    with pytest.raises(ValueError, match="not a typed hole"):
        hole("int of x")


@pytest.mark.parametrize("source", ["«a|b", "«#ints 2", "a»"])
def test_open_groups_are_refused(source: str) -> None:
    with pytest.raises(ValueError, match=r"unclosed|unmatched"):
        parse(source)


def test_words_of_a_template_are_never_drawn() -> None:
    made = template("def $f($nums):\n    lst = numbers = arr = 1\n    return $nums\n:call $f(«#ints»)")
    for seed in range(100):
        source = fill(made, random.Random(seed)).source
        assert re.match(r"def \w+\((?!lst\b|numbers\b|arr\b)", source)


def test_every_file_is_read_by_somebody() -> None:
    """A file that nobody names would never be drawn from."""
    code = "".join(path.read_text("utf-8") for path in TEMPLATES.parent.rglob("*.py"))
    for path in TEMPLATES.rglob("*.txt"):
        stem = path.stem.removeprefix("shrinking_").partition("_")[0] if path.parent.name == "statements" else path.stem
        assert f'"{stem}"' in code or f"/{stem}" in code, path


def test_every_maker_and_macro_is_known() -> None:
    macros = {
        line.removeprefix(":macro ")
        for path in (TEMPLATES / "macros").glob("*.txt")
        for line in path.read_text("utf-8").splitlines()
        if line.startswith(":macro ")
    }
    for path in TEMPLATES.rglob("*.txt"):
        for found in re.findall(r"«#([\w!/]+)", path.read_text("utf-8")):
            for maker in found.split("/"):
                assert maker in macros or values.has(maker), (path, maker)


def test_every_role_has_names() -> None:
    known = pools("vocabulary/names")
    typed = re.compile(r"(?:new_|to_|each_)?(?:ints?|strs?|counts|bool)")
    for path in TEMPLATES.rglob("*.txt"):
        source = path.read_text("utf-8")
        if path.parent.name in ("operations", "vocabulary", "guided"):
            continue
        bound = {role for found in re.findall(r"^:let (\S+)", source, re.MULTILINE) for role in found.split(",")}
        for role in set(re.findall(r"\$((?:new_|to_|each_)?[A-Za-z]+)", source)):
            assert role in known or role in bound | {"f", "it"} or typed.fullmatch(role), (path, role)


def test_no_pool_hides_a_builtin() -> None:
    for role, pool in pools("vocabulary/names").items():
        assert all(name.isidentifier() for name in pool), role
        assert not {*pool} & vocabulary.RESERVED - {"match", "type"}, role


def test_kinds_have_roles_and_partners_have_pools() -> None:
    known = pools("vocabulary/names")
    assert {role for roles in pools("vocabulary/kinds").values() for role in roles} <= known.keys()
    assert {role for line in lines("vocabulary/partners") for role in line.partition(":")[0].split()} <= known.keys()
    assert len(words("vocabulary/words")) > 300
    assert text("vocabulary/words").isprintable() or "\n" in text("vocabulary/words")


@pytest.mark.parametrize("manner", [composed.TEXT, composed.DATA])
def test_statements_name_what_they_need(manner: composed.Manner) -> None:
    simple = composed._library(manner.name, compound=False)
    compound = composed._library(manner.name, compound=True)
    assert len(simple) > 25
    assert len(compound) > 30
    assert all(one.writes <= {*one.needs} for one in (*simple, *compound))
    changed = [one for one in simple if one.writes and not one.makes]
    assert manner is composed.TEXT or len(changed) > 40
