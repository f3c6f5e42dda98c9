"""Natural programs over data: they compile, repeat, end, mostly return, and every kind of them does."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter

import pytest

from worldline.core.program import Program
from worldline.programs.generate import idioms_data
from worldline.programs.generate.idioms_data_template import Scope, parse, parts, render
from worldline.programs.generate.idioms_data_values import VALUES
from worldline.programs.generate.library import pools

# Runs every program of a list that comes in as one repr, in its own namespace, and prints one verdict a program.
_RUNNER = """
import ast, sys

def steps_of(source, call):
    steps = 0
    def trace(frame, event, argument):
        nonlocal steps
        if frame.f_code.co_filename != "<program>":
            return None
        steps += 1
        if steps > 2000:
            raise TimeoutError
        return trace
    names = {"__name__": "program"}
    exec(compile(source, "<program>", "exec"), names)
    sys.settrace(trace)
    try:
        value = eval(compile(call, "<call>", "eval"), names)
    finally:
        sys.settrace(None)
    return steps, len(repr(value))

for source, call in ast.literal_eval(sys.stdin.read()):
    try:
        print("returned", *steps_of(source, call))
    except TimeoutError:
        print("endless 0 0")
    except Exception as error:
        print("raised", type(error).__name__, 0)
"""


def _verdicts(programs: list[Program]) -> list[list[str]]:
    given = repr([(program.source, program.call) for program in programs])
    done = subprocess.run(
        [sys.executable, "-c", _RUNNER], input=given, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    verdicts = [line.split() for line in done.stdout.splitlines()]
    assert len(verdicts) == len(programs)
    return verdicts


def test_the_same_seed_gives_the_same_program() -> None:
    first = [idioms_data.program(random.Random(seed)) for seed in range(200)]
    assert first == [idioms_data.program(random.Random(seed)) for seed in range(200)]
    assert len({program.source for program in first}) > 190


def test_a_seed_means_the_same_under_any_hash_seed() -> None:
    text = (
        "import hashlib, random; from worldline.programs.generate.idioms_data import program;"
        "drawn = [program(random.Random(seed)) for seed in range(1500)];"
        "print(hashlib.sha256(repr(drawn).encode()).hexdigest())"
    )
    made = {
        subprocess.run(
            [sys.executable, "-c", text],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(made) == 1


def test_every_program_compiles_and_calls_what_it_defines() -> None:
    for seed in range(600):
        program = idioms_data.program(random.Random(seed))
        compile(program.source, "<program>", "exec")
        assert program.call is not None
        compile(program.call, "<call>", "eval")
        assert f"def {program.call.partition('(')[0]}(" in program.source


def test_most_programs_return_in_few_steps() -> None:
    verdicts = _verdicts([idioms_data.program(random.Random(seed)) for seed in range(600)])
    outcomes = Counter(verdict[0] for verdict in verdicts)
    assert outcomes["returned"] >= 0.93 * len(verdicts), outcomes
    assert outcomes["endless"] == 0
    returned = [verdict for verdict in verdicts if verdict[0] == "returned"]
    steps = sorted(int(verdict[1]) for verdict in returned)
    assert 6 <= steps[len(steps) // 2] <= 60
    assert steps[int(len(steps) * 0.99)] <= 300
    assert sum(int(verdict[2]) <= 150 for verdict in returned) >= 0.98 * len(returned)


def test_every_idiom_returns_on_most_seeds() -> None:
    assert len(idioms_data.idioms()) >= 120
    programs = [idiom(random.Random(seed)) for idiom in idioms_data.idioms() for seed in range(10)]
    verdicts = _verdicts(programs)
    for at in range(len(idioms_data.idioms())):
        mine = Counter(
            " ".join(verdict[:2]) for verdict in verdicts[10 * at : 10 * at + 10] if verdict[0] != "returned"
        )
        assert mine.total() <= 3, (at, mine, programs[10 * at].source)


def test_no_program_has_a_name_or_syntax_error() -> None:
    verdicts = _verdicts([idioms_data.program(random.Random(seed)) for seed in range(1000, 2500)])
    faults = {"NameError", "SyntaxError", "UnboundLocalError", "IndentationError", "AttributeError"}
    assert not [verdict for verdict in verdicts if verdict[1] in faults]


def test_half_of_the_functions_are_called_f() -> None:
    calls = [idioms_data.program(random.Random(seed)).call or "" for seed in range(1000)]
    assert 400 <= sum(call.startswith("f(") for call in calls) <= 600


def test_a_template_binds_names_once_and_keeps_them_apart() -> None:
    for seed in range(50):
        scope = Scope(random.Random(seed))
        text = render(parts("$nums $num $nums $a $b $i"), scope, VALUES).split()
        assert text[0] == text[2]
        assert len(set(text)) == 5
        assert text[0] in pools("vocabulary/data_names")["nums"]


def test_alternatives_nest_and_may_be_wrapped() -> None:
    template = parse(":f g\ndef $f():\n<:\n    return <:1~\\\n        2:>\n~\n    pass\n:>\n:call $f()\n")
    made = {render(template.body, Scope(random.Random(seed), names={"f": "f"}), VALUES) for seed in range(40)}
    assert made == {"def f():\n    return 1\n", "def f():\n    return 2\n", "def f():\n    pass\n"}


def test_an_open_alternative_is_refused() -> None:
    with pytest.raises(ValueError, match="not closed"):
        parts("<:a~b")
