"""Programs as people write them: they repeat, compile, end, mostly return, and every template of them does."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from collections import Counter

import pytest
from tiers import examples

from worldline.core.program import Program
from worldline.programs.generate import composed, idioms
from worldline.programs.generate.language.expansion import fill
from worldline.programs.generate.language.template import Template
from worldline.programs.generate.style.habits import written

MAKERS = {"text": idioms.text, "data": idioms.data, "composed text": composed.text, "composed data": composed.data}
SKETCHES = (
    "recursion", "classes", "errors", "contexts", "functions", "generators", "library", "loops", "matching",
)  # fmt: skip
LIBRARIES = {
    **{f"text/{name}": idioms.listed("text", (name,)) for name in idioms.TEXT},
    **{f"data/{name}": idioms.listed("data", (name,)) for name in (*idioms.DATA, *idioms.LONG)},
    **{f"sketches/{name}": idioms.listed("sketches", (name,)) for name in SKETCHES},
}

# Runs every program of a list that comes in as one repr, in its own namespace, and prints one verdict a program.
_RUNNER = """
import ast, contextlib, io, sys

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
        with contextlib.redirect_stdout(io.StringIO()):
            told = steps_of(source, call)
        print("returned", *told)
    except TimeoutError:
        print("endless 0 0")
    except Exception as error:
        print("raised", type(error).__name__, 0)
"""


def _verdicts(programs: list[Program]) -> list[list[str]]:
    given = repr([(program.source, program.call) for program in programs])
    done = subprocess.run([sys.executable, "-c", _RUNNER], input=given, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    verdicts = [line.split() for line in done.stdout.splitlines()]
    assert len(verdicts) == len(programs)
    return verdicts


@pytest.mark.parametrize("kind", MAKERS)
def test_the_same_seed_gives_the_same_program(kind: str) -> None:
    first = [MAKERS[kind](random.Random(seed)) for seed in range(200)]
    assert first == [MAKERS[kind](random.Random(seed)) for seed in range(200)]
    assert len({program.source for program in first}) > 180


@pytest.mark.fuzz
def test_a_seed_means_the_same_under_any_hash_seed() -> None:
    text = (
        "import hashlib, random; from worldline.programs.generate.idioms import data, text;"
        f"drawn = [kind(random.Random(seed)) for seed in range({examples(300, 1500)}) for kind in (data, text)];"
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


@pytest.mark.fuzz
@pytest.mark.parametrize("kind", MAKERS)
def test_every_program_compiles_and_calls_what_it_defines(kind: str) -> None:
    for seed in range(examples(150, 1500)):
        program = MAKERS[kind](random.Random(seed))
        compile(program.source, "<program>", "exec")
        assert program.call is not None
        compile(program.call, "<call>", "eval")
        assert f"def {program.call.partition('(')[0]}(" in program.source


@pytest.mark.long(reason="executes 500 programs of each kind")
@pytest.mark.parametrize("kind", MAKERS)
def test_most_programs_return_in_few_steps(kind: str) -> None:
    verdicts = _verdicts([MAKERS[kind](random.Random(seed)) for seed in range(500)])
    outcomes = Counter(verdict[0] for verdict in verdicts)
    assert outcomes["returned"] >= 0.96 * len(verdicts), outcomes
    assert outcomes["endless"] == 0
    returned = [verdict for verdict in verdicts if verdict[0] == "returned"]
    steps = sorted(int(verdict[1]) for verdict in returned)
    assert 4 <= steps[len(steps) // 2] <= 60
    assert steps[int(len(steps) * 0.99)] <= 300
    assert sum(int(verdict[2]) <= 150 for verdict in returned) >= 0.98 * len(returned)


def test_there_are_many_templates() -> None:
    assert len(idioms.listed("text", idioms.TEXT)) >= 120
    assert len(idioms.listed("data", (*idioms.DATA, *idioms.LONG))) >= 120


def _filled(template: Template, seed: int) -> Program:
    rng = random.Random(seed)
    return written(rng, fill(template, rng))


@pytest.mark.fuzz
@pytest.mark.parametrize("name", LIBRARIES)
def test_every_template_is_python_without_holes(name: str) -> None:
    for template in LIBRARIES[name]:
        for seed in range(examples(4, 25)):
            made = _filled(template, seed)
            assert not set("«»‹›") & set(made.source)
            assert not re.search(r"\$[a-z]", made.source)
            compile(made.source, "program.py", "exec")
            compile(made.call or "", "call", "eval")


@pytest.mark.long(reason="executes ten programs of every template")
def test_every_idiom_returns_on_most_seeds() -> None:
    templates = [one for name, several in LIBRARIES.items() if not name.startswith("sketches") for one in several]
    programs = [_filled(template, seed) for template in templates for seed in range(10)]
    verdicts = _verdicts(programs)
    for at in range(len(templates)):
        mine = Counter(
            " ".join(verdict[:2]) for verdict in verdicts[10 * at : 10 * at + 10] if verdict[0] != "returned"
        )
        assert mine.total() <= 3, (at, mine, programs[10 * at].source)


@pytest.mark.fuzz
@pytest.mark.parametrize("kind", MAKERS)
def test_no_program_has_a_name_or_syntax_error(kind: str) -> None:
    verdicts = _verdicts([MAKERS[kind](random.Random(seed)) for seed in range(1000, 1000 + examples(150, 1500))])
    faults = {"NameError", "SyntaxError", "UnboundLocalError", "IndentationError", "AttributeError"}
    assert not [verdict for verdict in verdicts if verdict[1] in faults]


@pytest.mark.parametrize("kind", ["text", "data"])
def test_half_of_the_functions_are_called_f(kind: str) -> None:
    calls = [MAKERS[kind](random.Random(seed)).call or "" for seed in range(1000)]
    assert 400 <= sum(call.startswith("f(") for call in calls) <= 600
