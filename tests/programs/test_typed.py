"""The typed grammar and the values: spellings mean their value, layouts the same program, productions are sound."""

from __future__ import annotations

import ast
import random
from typing import Any

import pytest

from worldline.programs.generate import idioms
from worldline.programs.generate.kinds import LITERALS, USES
from worldline.programs.generate.language.construction import Construction
from worldline.programs.generate.language.library import text
from worldline.programs.generate.style.layout import dress
from worldline.programs.generate.typed import functions
from worldline.programs.generate.typed.catalogue import entries
from worldline.programs.generate.typed.expressions import apply, chain, index
from worldline.programs.generate.typed.plant import plant
from worldline.programs.generate.values import arguments, value
from worldline.programs.generate.values.spelling import plain, quoted, spell

pytestmark = pytest.mark.unit

TYPES = [kind for kind in USES if kind not in ("none",)]
INSTANCES = {
    "int": int,
    "cnt": int,
    "small": int,
    "float": float,
    "str": str,
    "ints": list,
    "counts": dict,
    "tup": tuple,
}


def literal(text: str) -> Any:
    """The value of a literal, with `dict(a=1)` in it or not."""
    tree = ast.parse(text, mode="eval").body
    if isinstance(tree, ast.List):
        return [literal(ast.unparse(item)) for item in tree.elts]
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id == "dict":
        return {item.arg: ast.literal_eval(item.value) for item in tree.keywords}
    return ast.literal_eval(text)


@pytest.mark.sampled(7)
@pytest.mark.parametrize("kind", TYPES)
def test_spelling_means_the_value(kind: str) -> None:
    for seed in range(200):
        rng = random.Random(seed)
        made = value(rng, kind)
        assert literal(plain(made)) == made
        assert literal(spell(rng, made, odd=0.9)) == made


@pytest.mark.parametrize("text", ["a'b", 'a"b', "\\", "\\'", "a\\b", "\n\t", "é", "", 'it\'s "so"', "{x}"])
def test_odd_texts_survive_every_spelling(text: str) -> None:
    assert ast.literal_eval(quoted(text, '"')) == text
    for seed in range(60):
        assert ast.literal_eval(spell(random.Random(seed), text, odd=1.0)) == text


def test_a_dict_of_keywords_is_spelled_in_braces() -> None:
    assert all(spell(random.Random(seed), {"break": 1, "a": 2}, odd=4.0)[0] == "{" for seed in range(60))
    assert any(spell(random.Random(seed), {"b": 1, "a": 2}, odd=4.0).startswith("dict(") for seed in range(60))


@pytest.mark.parametrize("kind", TYPES)
def test_values_have_their_type_and_size(kind: str) -> None:
    for seed in range(150):
        made = value(random.Random(seed), kind)
        if kind.endswith("!"):
            assert len(made) > 0
        if (wanted := INSTANCES.get(kind.rstrip("!"))) is not None:
            assert isinstance(made, wanted)
        assert len(repr(made)) < 900
    assert all(value(random.Random(seed), "pos") for seed in range(100))


def test_arguments_occur_in_earlier_ones() -> None:
    given = [arguments(random.Random(seed), ["ints!", "idx"]) for seed in range(200)]
    assert all(-len(xs) <= i < len(xs) for xs, i in given)
    related = [arguments(random.Random(seed), ["counts!", "member"]) for seed in range(200)]
    assert sum(key in counts for counts, key in related) > 180


def test_planted_constants_are_found() -> None:
    found = [plant(random.Random(seed), ["str!"], ["hello world"], "    return 'qq' in s")[0] for seed in range(100)]
    assert 30 < sum("qq" in text for text in found) < 90
    kept = plant(random.Random(1), ["small", "bool"], [3, True], "    return 5 if 'a' else 7")
    assert kept == [3, True]


def without_docstrings(source: str) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    return ast.dump(tree)


def test_layout_keeps_the_program() -> None:
    changed = 0
    for seed in range(800):
        rng = random.Random(seed)
        made = functions.looping(rng) if seed % 2 else idioms.sketch(rng, "loops")
        dressed = dress(rng, made)
        changed += dressed != made
        assert without_docstrings(dressed.source) == without_docstrings(made.source)
    assert 80 < changed < 250


def test_chains_are_valid_expressions() -> None:
    for seed in range(1500):
        rng = random.Random(seed)
        kinds = functions.signature(rng)
        scope = Construction(rng)
        params = [scope.new(kind, local=False) for kind in kinds]
        text, kind, _ = chain(scope, params[0], 3, depth=2)
        ast.parse(text, mode="eval")
        assert kind in USES or kind == "bool"


def test_an_f_string_quotes_a_key_the_other_way() -> None:
    """`f'{s}: {p['age']}'` is no Python before 3.12."""
    shown = [entry for entry in entries(text("operations/formats")) if entry.variants[0][0][0].startswith("f'")]
    keyed = 0
    for seed in range(40):
        for entry in shown:
            scope = Construction(random.Random(seed))
            kind = entry.slots[entry.main].kind
            first = scope.new(kind)
            for name, of in (("p['name']", "str"), ("p['age']", "int")):
                scope.new(of, name=name)
            made = apply(scope, entry, (first.name, kind, 15), 1)
            keyed += made is not None and "p[" in made[0]
            compile(made[0] if made else "0", "text", "eval")
    assert keyed > 100


def test_entries_name_known_types() -> None:
    for entry in index().items:
        assert entry.result in USES, entry
        for slot in entry.slots:
            assert slot.kind in USES or slot.kind in LITERALS, entry
        assert all(len(pieces) == len(entry.slots) + 1 for pieces, _ in entry.variants)


def test_table_lines_are_read() -> None:
    (entry,) = entries("3 str ‹str.›.replace(‹char›, 'x')  @15")
    assert (entry.result, entry.weight, entry.main, entry.level) == ("str", 3, 0, 15)
    assert [slot.kind for slot in entry.slots] == ["str", "char"]
    both = entries("strs? sorted(‹strs?›, key=lambda w: w[::-1])")
    assert [item.result for item in both] == ["strs", "strs!"]
    assert any("lambda word: word[::-1]" in pieces[1] for pieces, _ in both[0].variants)
    (adding,) = entries("bool ‹int› + 1 > ‹int›  @5")
    assert [slot.need for slot in adding.slots] == [10, 6]
    (joined,) = entries("str ‹sep›.join(‹strs›)")
    assert joined.slots[joined.main].kind == "strs"
