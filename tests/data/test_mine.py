"""Real code: functions are found, stand alone, are called with arguments that fit, and are kept with what they did."""

from __future__ import annotations

import ast
import lzma
import random
from pathlib import Path

import pytest

from worldline.core.program import Program
from worldline.data.document import read
from worldline.data.mine import (
    Mined,
    Quarry,
    Tally,
    drawer,
    locate,
    mine,
    python_files,
    read_mined,
    written_out,
)
from worldline.data.mine_extract import functions
from worldline.data.mine_inputs import value
from worldline.data.mine_types import KINDS, Signature, signature
from worldline.data.mixture import Mixture
from worldline.data.recipe import load_config
from worldline.data.split import split_of
from worldline.errors import FormatError, UsageError
from worldline.record.recorder import record_many

PACKAGE = {
    "text.py": '''\
"""Text."""
import re
import os
from .shared import VOWELS, clean as tidy, clean

PATTERN = re.compile(r"[a-z]+")
SEPARATORS = (",", ";")


def words(text: str, limit: int = 3) -> "list[str]":
    """A docstring
    of several lines.
    """
    found = PATTERN.findall(clean(text))
    result = []
    for word in found:
        if len(result) == limit:
            break
        result.append(word)
    return result


def vowels(s):
    return sum(1 for c in s if c in VOWELS)


def home(name):
    path = os.path.join("/", name)
    return path


def even(n):
    if n < 1:
        return True
    return odd(n - 1)


def odd(n):
    if n < 1:
        return False
    return even(n - 1)


def pieces(seq, n):
    if n < 1:
        raise ValueError("n must be positive")
    for i in range(0, len(seq), n):
        yield seq[i:i + n]


class Stack:
    def __init__(self, items):
        self.items = list(items)

    def push(self, item):
        self.items.append(item)
        return len(self.items)

    @staticmethod
    def double(n):
        m = n * 2
        return m

    def triple(self, n):
        m = n * 3
        return m
''',
    "shared.py": """\
VOWELS = "aeiou"


def clean(text):
    return text.strip().lower()
""",
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "sample"
    folder.mkdir()
    for name, text in PACKAGE.items():
        (folder / name).write_text(text)
    return folder


def test_functions_stand_alone(package: Path) -> None:
    found = {each.origin.partition(":")[2]: each for each in functions(package / "text.py")}
    assert set(found) == {"words", "vowels", "even", "odd", "pieces", "Stack", "Stack.double", "Stack.triple"}
    assert "def clean" in found["words"].source
    assert "several lines" not in found["words"].source
    assert "VOWELS = " in found["vowels"].source
    assert "def odd" in found["even"].source
    assert "SEPARATORS" not in "".join(each.source for each in found.values())
    calls = {"words": "words(' One two ')", "vowels": "vowels('bee')", "even": "even(4)", "Stack": "Stack([1]).push(2)",
             "Stack.double": "double(4)", "Stack.triple": "triple(4)"}  # fmt: skip
    programs = [Program(source=found[name].source, call=call) for name, call in calls.items()]
    results = {
        name: trace.outcome.detail
        for name, trace in zip(calls, record_many(programs, trust=True), strict=True)
    }
    assert results == {
        "words": "['one', 'two']", "vowels": "2", "even": "True", "Stack": "2", "Stack.double": "8",
        "Stack.triple": "12",
    }  # fmt: skip


def likely(source: str) -> list[str]:
    node = ast.parse(source).body[0]
    assert isinstance(node, ast.FunctionDef)
    weighed = [parameter.weights for parameter in signature(node, source).parameters]
    return [max(weights, key=lambda kind: weights[kind]) for weights in weighed]


@pytest.mark.parametrize(
    ("source", "kinds"),
    [
        ("def f(a: int, b: 'str', c: list[str], d: float | None): pass", ["int", "str", "strs", "float"]),
        ("def f(q, w, e):\n    return q.split(w) + [q.center(e)]\n", ["str", "str", "int"]),
        ("def f(q):\n    return q % 2 == 0\n", ["int"]),
        ("def f(q):\n    for k, v in q.items():\n        print(k)\n", ["counts"]),
        ("def f(q, w=2.5, e='x', r=True):\n    return q > 3\n", ["int", "float", "str", "bool"]),
        ("def f(q):\n    return range(q)\n", ["int"]),
        ("def f(words, n):\n    return words\n", ["strs", "int"]),
    ],
)
def test_arguments_are_guessed(source: str, kinds: list[str]) -> None:
    assert likely(source) == kinds


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_made_as_source(kind: str) -> None:
    rng = random.Random(1)
    given = Signature((), False, ("own", "text"), (7,), False)
    for _ in range(50):
        ast.parse(value(rng, kind, given), mode="eval")


def test_a_mine_gives_programs_that_run(package: Path, tmp_path: Path) -> None:
    told: list[Tally] = []
    out = tmp_path / "mined.jsonl.xz"
    tally = mine([str(package)], out=out, workers=1, trust=True, progress=told.append)
    found = read_mined(out)
    assert tally.calls == len(found)
    assert tally.functions == len({each.source for each in found}) >= 4
    assert told[-1] == tally
    assert all(isinstance(each, Mined) for each in found)
    traces = list(record_many([each.program for each in found], trust=True))
    assert {trace.outcome.kind for trace in traces} <= {"returned", "raised"}
    assert sum(trace.outcome.kind == "returned" for trace in traces) > len(traces) / 2
    pieces = [each for each in found if each.origin.endswith(":pieces")]
    assert len({each.call for each in pieces}) == len(pieces) > 1
    draw = drawer(str(out))
    assert {draw(random.Random(n)).call for n in range(2000)} == {each.call for each in found}


def test_mined_calls_are_written_as_documents_of_their_split(package: Path, tmp_path: Path) -> None:
    mine([str(package / "text.py")], out=tmp_path / "mined", trust=True, most=3)
    found = read_mined(tmp_path / "mined")
    made = {}
    for split in ("train", "all"):
        made[split] = written_out(
            tmp_path / "mined", tmp_path / split, mixture=Mixture(split=split), times=2, trust=True
        )
        with lzma.open(tmp_path / split) as file:
            documents = list(read(file))
        assert len(documents) == made[split]
        assert {each.kind for each in documents} == {"mine"}
    assert made["all"] == 2 * len(found)
    assert made["train"] == 2 * sum(split_of(each.key) == "train" for each in found)


def test_the_number_of_workers_does_not_matter(package: Path, tmp_path: Path) -> None:
    for name, workers in (("one", 1), ("two", 2)):
        mine([str(package / "text.py")], out=tmp_path / name, workers=workers, trust=True, most=2)
    assert read_mined(tmp_path / "one") == read_mined(tmp_path / "two") != []


def test_places_are_found_or_named() -> None:
    (place,) = locate(["textwrap"])
    assert place.name == "textwrap.py"
    (library,) = locate(["stdlib"])
    assert library / "textwrap.py" in set(python_files([library]))
    assert not any("test" in path.relative_to(library).parts for path in python_files([library]))
    with pytest.raises(UsageError, match="nonesuch"):
        locate(["nonesuch"])


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"no")
    with pytest.raises(FormatError):
        read_mined(tmp_path / "x")


def test_the_shipped_recipe_has_a_quarry() -> None:
    quarry = load_config("shipped", "quarry", Quarry)
    assert quarry.places[0] == "stdlib"
    assert len(quarry.places) > 12
