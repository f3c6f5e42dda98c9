"""A form of a program does what the program does, wherever the called function stands and however it is called."""

from __future__ import annotations

import contextlib
import io
import re
from contextlib import closing
from itertools import islice
from random import Random

import pytest

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.data import mixture
from worldline.data.forms.among import place_among
from worldline.data.forms.form import FORMS, apply_form
from worldline.data.mixture import Mixture, Source, draw_documents, draw_programs
from worldline.programs import generate
from worldline.programs.generate.typed import chains
from worldline.programs.split import key

PROGRAM = "worldline.programs.generate:program"


def answer(program: Program) -> tuple[object, str]:
    """What a program gives and prints; of what it raises, the type."""
    space: dict[str, object] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            exec(compile(program.source, "<program>", "exec"), space)
            return repr(eval(program.call or "None", space)), printed.getvalue()
        except Exception as error:
            return type(error), printed.getvalue()


def called(program: Program) -> str:
    return re.split(r"\W", program.call or "")[0]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("form", [*FORMS, "flatten among", "among method", "nested among"])
@pytest.mark.parametrize("draw", [generate.program, chains.program])
def test_a_form_gives_the_same(form: str, draw: generate.KindMaker) -> None:
    rng, seen = Random(form), 0
    while seen < 60:
        program = draw(rng)
        shaped = apply_form(program, form, rng)
        wanted = answer(program)
        if shaped is None or " at 0x" in str(wanted):
            continue
        seen += 1
        if shaped.call is None:  # a script prints it, or has it under a name
            assert wanted[0] in (answer(shaped)[1].removeprefix(wanted[1]).rstrip("\n"), wanted[0])
        else:
            assert answer(shaped) == wanted, f"{program.source}{program.call}\n\n{shaped.source}{shaped.call}"


def test_the_called_function_stands_anywhere() -> None:
    rng, places = Random(1), [0] * 5
    while sum(places) < 200:
        program = generate.program(rng)
        shaped = place_among(program, rng, generate.program, beside=4)
        names = re.findall(r"^(?:def|class) (\w+)", shaped.source, re.MULTILINE)
        assert len(set(names)) == len(names)
        if len(names) == 5 and called(program) in names:
            places[names.index(called(program))] += 1
    assert min(places) > 20


def test_what_stands_beside_has_names_of_its_own() -> None:
    version = Program(source="import math\n\ndef f(x):\n    return math.floor(x)\n", call="f(2.5)")
    other = Program(source="def f(x):\n    return 0\n", call="f(1)")
    shaped = apply_form(version, "among", Random(0), lambda rng: other)
    assert shaped is not None
    assert shaped.source.startswith("import math")
    assert shaped.source.count("def ") > 1
    assert answer(shaped)[0] == "2"


def test_what_runs_at_once_stays_behind_what_it_needs() -> None:
    source = "def g(x):\n    return x + 1\n\ndef f(x):\n    return g(x)\n\nK = f(1)\n\ndef h(x):\n    return x * K\n"
    shaped = [apply_form(Program(source=source, call="h(4)"), "among", Random(seed)) for seed in range(40)]
    assert shaped.count(None) < 20  # where nothing came beside it, and the order is the old one
    assert {answer(version)[0] for version in shaped if version} == {"8"}


def test_methods_call_themselves_and_keep_what_they_are_given() -> None:
    source = "def fact(n, by):\n    return 1 if n < 2 else n * fact(n - by, by)\n"
    program = Program(source=source, call="fact(5, 1)")
    shaped = {apply_form(program, "method", Random(seed)) for seed in range(40)}
    texts = [version.source for version in shaped if version]
    assert any("self.fact(n - by, by)" in text for text in texts)
    assert any("self.n = n" in text for text in texts)
    assert {answer(version)[0] for version in shaped if version} == {"120"}


def test_nested_functions_close_over_their_arguments() -> None:
    program = Program(source="def add(a, b):\n    return a + b\n", call="add(2, (3))")
    shaped = {apply_form(program, "nested", Random(seed)) for seed in range(60)}
    calls = {re.sub(r"^\w+", "", version.call or "") for version in shaped if version}
    assert {"()(2, (3))", "(2, (3))", "(2)(3)", "(2, 3)()"} <= calls
    written = Program(source="def up(a):\n    a += 1\n    return a\n", call="up(1)")
    assert {answer(version)[0] for seed in range(60) if (version := apply_form(written, "nested", Random(seed)))} == {
        "2"
    }


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    s = '''a\n  b'''\n    return s\n",
        "def f(x):\n    return 1\n\ndef g():\n    return f(2)\n",
        "@print\ndef f(x):\n    return 1\n",
        "def f(x):\n    return locals()\n",
        "def f(x): return 1\nx = f",
    ],
)
def test_what_cannot_be_moved_stays(source: str) -> None:
    assert all(apply_form(Program(source=source, call="f(1)"), "nested", Random(n)) is None for n in range(9))


def test_an_unknown_form_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="upside"):
        Source(kind="generate", program=PROGRAM, form="flatten upside")
    monkeypatch.setattr(mixture, "MAX_FORMLESS_DRAWS", 20)
    none = Source(kind="tasks", program="worldline.programs.tasks:permutations", form="chars")
    with pytest.raises(UsageError, match="has the form"):
        next(draw_programs(Mixture(sources=(none,)), Random(0)))


def test_a_mixture_draws_forms_under_the_key_of_what_they_are_made_of() -> None:
    sources = tuple(Source(kind="generate", program=PROGRAM, form=form) for form in ("", "flatten", "among"))
    with closing(draw_documents(Mixture(sources=sources, split="valid"), trust=True)) as source:  # type: ignore[type-var]
        shaped = list(islice(source, 30))
    assert all(int(version.key[:12], 16) % 100 == 0 for version in shaped)
    programs = list(islice(draw_programs(Mixture(sources=sources), Random(3)), 300))
    unchanged = sum(key(program.source) == hashed for _, program, hashed in programs)
    assert 70 < unchanged < 130
