"""What no model could know is not a wrong value: draws, clocks, hashes, the order of a set of strings."""

from __future__ import annotations

import re

import pytest
from recorded import sample, truth
from scripted_model import Mistaken

from worldline.core.program import Program
from worldline.diagnose.cause import Cause
from worldline.diagnose.debug import debug
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.sentences import sentences
from worldline.predict.interpreter import recorder

NAME = "could not be known"


def _why(source: str, pattern: str, new: str, *, codec: str = "compact", alone: bool = False, stdin: str = "") -> Cause:
    """The cause where the first text that fits the pattern is another one."""
    program = Program(source=source, call="f()", stdin=stdin)
    true = truth(program, codec, None)  # as `sample` asks for it: a draw is another one each time
    result = re.search(pattern, true.text.decode())
    assert result is not None, true.text
    wrong = sample(program, (result[0], new), codec=codec)
    return Diagnosis(wrong, None if alone else recorder(), None if alone else recorder(hash_seed=1)).cause


@pytest.mark.parametrize("codec", ["compact", "cwm"])
@pytest.mark.parametrize(
    ("expression", "said", "kind"),
    [
        ("random.random()", "1.5", "a random draw"),
        ("time.time()", "1.5", "the clock"),
        ("str(uuid.uuid4())", "'1'", "a random draw"),
        ("os.urandom(4).hex()", "'1'", "a random draw"),
        ("hash('worldline')", "1", "the hash seed"),
        ("next(iter({'aa', 'bb', 'cc', 'dd', 'ee', 'ff', 'gg', 'hh'}))", "'1'", "the order of a set"),
        ("id(object())", "1", "an address"),
    ],
)
def test_what_the_program_does_not_determine_is_a_cause_of_its_own(
    expression: str, said: str, kind: str, codec: str
) -> None:
    source = f"import os, random, time, uuid\n\ndef f():\n    x = {expression}\n    return 1\n"
    pattern, new = ("x=[^ \n]+", f"x={said}") if codec == "compact" else (r'"x": "[^"]+"', f'"x": "{said}"')
    why = _why(source, pattern, new, codec=codec)
    assert (why.name, why.detail) == (NAME, kind)
    assert why.evidence.endswith(": no model can know it")


@pytest.mark.parametrize(
    "line",
    [
        "y = random.random(); x = 3 * 4",
        "random.seed(2); x = random.random()",
        "r = random.Random(4); x = r.random()",
        "x = len({'a', 'b'})",
    ],
)
def test_what_is_the_same_in_another_run_is_a_wrong_value(line: str) -> None:
    """A seeded draw, one that does not matter, the size of a set: two recordings say the same."""
    source = f"import random\n\ndef f():\n    {line}\n    return 1\n"
    assert _why(source, "x=[^ \n]+", "x=77").name == "wrong value"


@pytest.mark.parametrize("codec", ["compact", "cwm"])
@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("random.choice([1, 2])", "'zebra'"),
        ("random.random()", "None"),
        ("random.random()", "<module random>"),
        ("time.time()", "[1]"),
    ],
)
def test_a_value_of_a_type_that_no_run_has_is_wrong(expression: str, said: str, codec: str) -> None:
    source = f"import random, time\n\ndef f():\n    x = {expression}\n    return 1\n"
    pattern, new = ("x=[^ \n]+", f"x={said}") if codec == "compact" else (r'"x": "[^"]+"', f'"x": "{said}"')
    assert _why(source, pattern, new, codec=codec).name == "wrong value"


def test_without_another_run_the_line_itself_must_say_so() -> None:
    source = "import random, time as t\nfrom random import random as draw\n\ndef f():\n    x = {}\n"
    source += "    y = x\n    return 1\n"
    for expression in ("random.random()", "t.perf_counter()", "draw()", "random.choice([1.5, 2.5])"):
        assert _why(source.format(expression), "x=[^ \n]+", "x=1.25", alone=True).name == NAME
    assert _why(source.format("random.random()"), "y=[^ \n]+", "y=1", alone=True).name != NAME
    assert _why(source.format("[random.seed(3), random.random()][1]"), "x=[^ \n]+", "x=1", alone=True).name != NAME


def test_a_coin_decides_the_line() -> None:
    """A branch that a draw decides may go the same way twice: then its line says that it is one."""
    source = "import random\n\ndef f():\n    if random.random() < 2:\n        return 1\n    return 2\n"
    why = _why(source, "4\n5\n\\)1", "4\n6\n)2")
    assert (why.name, why.detail) == (NAME, "a random draw")


def test_an_input_that_the_notation_does_not_show() -> None:
    """Our prompts show what is read; Meta's do not."""
    source = "def f():\n    x = input()\n    return x\n"
    assert _why(source, r'"x": "[^"]+"', '"x": "\'b\'"', codec="cwm", stdin="a\n").detail == "an input"
    assert _why(source, "x='a'", "x='b'", stdin="a\n").name != NAME


def test_debug_reports_what_could_not_be_known() -> None:
    program = Program(source="import time\n\ndef f():\n    t = time.time()\n    return 1\n", call="f()")
    model = Mistaken(lambda ask, truth: re.sub(rb"t=[0-9.]+", b"t=12.5", truth))
    result = debug(program, model)
    assert result.cause.name == NAME
    assert result.tried == ()
    shown = {name: text for name, text, _ in sentences(result)}
    assert "verdict" not in shown
    assert "probability" not in shown.get("belief", "")
    assert "no model can know it" in shown["cause"]
