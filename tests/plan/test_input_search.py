"""The search for inputs in a real box: what is found was run, what is not is said, and executions are counted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from plain_predictor import PlainPredictor

from worldline.cli import cli
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.plan.answer import ProgramRunner
from worldline.plan.inputs.finding import propose_by_crosshair, rank_by_model, sandboxed_calls
from worldline.plan.inputs.goal import read_goal
from worldline.plan.inputs.search import CallRunner, InputReport, InputSearch
from worldline.predict.prediction import Prediction, PredictionRequest

SOURCE = """\
import itertools
def affine(x: int) -> int:
    return x * 7 + 3
def weave(s, k=2):
    return "".join(c.upper() if i % k == 0 else c for i, c in enumerate(s))[::-1]
def secret(n: int) -> str:
    if n > 1000:
        if n % 1013 == 7:
            return "hit"
    return "miss"
def pick(d, key):
    if not d:
        raise LookupError(key)
    return d[key]
def parity(n: int) -> int:
    return n * 2
ticks = itertools.count()
def once(x):
    return next(COUNT[0])
COUNT = [ticks]
def endless(n: int) -> int:
    while n != 5:
        pass
    return n
"""
PROGRAM = Program(source=SOURCE, name="program.py")
World_ = tuple[CallRunner, ProgramRunner]


@pytest.fixture(scope="module")
def world() -> Iterator[World_]:
    with sandboxed_calls() as found:
        yield found


def search(world: World_, goal: str, how: InputSearch | None = None, call: str | None = None) -> InputReport:
    return (how or InputSearch()).find(read_goal(goal, SOURCE, call), PROGRAM, *world)


@pytest.mark.parametrize(
    "goal",
    ["affine(x) == 700010", "weave(s) == 'OlLeH'", "len(weave(s)) == 14", "weave(s, 3) == 'lEdoM'", "weave(s) == s"],
)
def test_found_input_reaches_the_goal_when_run_alone(world: World_, goal: str) -> None:
    found = search(world, goal)
    assert found.call is not None
    assert found.trace is not None
    again = world[1](Program(source=SOURCE, name="program.py", call=found.trace.program.call or ""))
    assert again.outcome.detail.startswith("(True, ")
    assert found.found_at is not None
    assert found.found_at < found.executions <= 1_001


def test_the_same_seed_finds_the_same(world: World_) -> None:
    first, second = (search(world, "affine(x) == 700010") for _ in range(2))
    assert (first.call, first.executions) == (second.call, second.executions)


def test_ways_use_different_information(world: World_) -> None:
    wanted = "weave(s) == 'zYxWvU'"
    climbed = search(world, wanted, InputSearch(way="climb", executions=400))
    drawn = search(world, wanted, InputSearch(way="random", executions=400))
    assert climbed.call is not None
    assert drawn.call is None
    assert drawn.nearest is not None
    with pytest.raises(UsageError, match="the way must be one of"):
        InputSearch(way="magic")


def test_exceptions_and_lines_are_goals(world: World_) -> None:
    raising = search(world, "raises:LookupError", call="pick")
    assert raising.trace is not None
    assert raising.trace.outcome.kind == "raised"
    line = SOURCE[: SOURCE.index('            return "hit"')].count("\n") + 1
    reached = search(world, f"line:{line}", InputSearch(executions=300, solver=propose_by_crosshair(seconds=4)))
    assert reached.call is not None
    assert reached.trace is not None
    assert any(step.event == "line" and step.line == line for step in reached.trace.steps)


def test_nearest_input_is_reported_within_the_budget(world: World_) -> None:
    found = search(world, "parity(n) == 7", InputSearch(executions=120))
    assert found.call is None
    assert found.executions == 120
    assert found.nearest is not None
    assert found.nearest.far > 0


def test_calls_that_do_not_end_cost_themselves(world: World_) -> None:
    found = search(world, "endless(n) == 5", InputSearch(executions=40, seconds=0.1))
    assert found.call == "endless(5)"


def test_unconfirmed_input_is_not_reported_as_found(world: World_) -> None:
    def run(batch):  # type: ignore[no-untyped-def]
        return [type(end)("returned", "(True, [[7, 7]])") for end in world[0](batch)]

    goal = read_goal("affine(x) == 8", SOURCE)
    found = InputSearch(executions=40).find(goal, PROGRAM, run, world[1])
    assert found.call is None
    assert found.unconfirmed == 5
    assert "not alone" in found.notes[0]


def test_a_model_orders_the_first_inputs_and_decides_nothing_else(world: World_) -> None:
    asked: list[PredictionRequest] = []

    class Backwards(PlainPredictor):
        name, options = "backwards", None

        def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
            asked.extend(asks)
            return (Prediction(text=b"nonsense", status="ended") for _ in asks)

    found = search(world, "affine(x) == 73", InputSearch(rank=rank_by_model(Backwards())))  # type: ignore[arg-type]
    assert found.call == "affine(10)"
    assert len(asked) == 6
    assert found.imagined == 6 * len(b"nonsense")


def test_the_verb(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(SOURCE)
    runner = CliRunner()
    found = runner.invoke(cli, ["plan", "input", str(file), "--goal", "affine(x) == 73", "--json"])
    assert found.exit_code == 0, found.output
    assert json.loads(found.output)["call"] == "affine(10)"
    shown = runner.invoke(cli, ["plan", "input", str(file), "--goal", "weave(s) == 'A'"])
    assert "confirmed by a recording" in shown.output
    args = ["--goal", "parity(n) == 7", "--executions", "20", "--solver-seconds", "0"]
    none = runner.invoke(cli, ["plan", "input", str(file), *args])
    assert (none.exit_code, "no input found" in none.output) == (1, True)
    wrong = runner.invoke(cli, ["plan", "input", str(file), "--goal", "affine(x) = 7"])
    assert isinstance(wrong.exception, UsageError)


def test_a_program_that_exits_is_met_and_confirmed(world: World_) -> None:
    program = Program(source="import sys\ndef out(x):\n    if x == 7:\n        sys.exit(3)\n    return x\n")
    found = InputSearch().find(read_goal("raises:SystemExit", program.source), program, *world)
    assert (found.call, found.unconfirmed) == ("out(7)", 0)
    assert found.came == "SystemExit(3)"


@pytest.mark.parametrize("body", ["    for i in range(n):\n        yield i\n", "    return map(abs, range(n))\n"])
def test_generator_is_read_for_the_test_and_for_its_value(world: World_, body: str) -> None:
    program = Program(source=f"def gen(n: int):\n{body}")
    found = InputSearch().find(read_goal("list(gen(n)) == [0, 1, 2]", program.source), program, *world)
    assert (found.call, found.came) == ("gen(3)", "[0, 1, 2]")


def test_what_is_found_is_simplified_and_still_reaches_the_goal(world: World_) -> None:
    report = search(world, "affine(x) > 100")
    assert report.call == "affine(14)"
    assert report.simplifying <= 400
    plain = search(world, "affine(x) > 100", InputSearch(simplifying=0))
    assert plain.call == plain.first_call == report.first_call
    text = search(world, "len(weave(s)) == 5")
    assert text.call is not None
    assert text.call == "weave('aaaaa')"


def test_simplifying_stops_at_its_executions(world: World_) -> None:
    report = search(world, "affine(x) == 700010", InputSearch(simplifying=3))
    assert (report.call, report.simplifying <= 3) == (report.first_call, True)


DATES = """\
from datetime import date, datetime
import re
def quarter(text):
    day = datetime.strptime(text, "%d.%m.%Y")
    return (day.month - 1) // 3 + 1 if day.year > 2000 else 0
def is_leap_day(text):
    day = date.fromisoformat(text)
    return day.month == 2 and day.day == 29
def version(text):
    major, minor, patch = (int(part) for part in text.split("."))
    return major > 2 and minor == 7 and patch < 5
def code(text):
    match = re.fullmatch(r"([A-Z]{2})-(\\d{3,4})", text)
    return match is not None and int(match[2]) > 500
"""


def found_in_400(world: World_, goal: str, way: str) -> bool:
    program = Program(source=DATES, name="dates.py")
    how = InputSearch(executions=400, way=way, simplifying=0)
    return how.find(read_goal(goal, DATES), program, *world).call is not None


@pytest.mark.parametrize(
    "goal", ["quarter(text) == 3", "is_leap_day(text) == True", "version(text) == True", "code(text) == True"]
)
def test_texts_of_the_forms_that_conditions_expect_are_found(world: World_, goal: str) -> None:
    assert found_in_400(world, goal, "climb")


@pytest.mark.parametrize("goal", ["quarter(text) == 3", "version(text) == True", "code(text) == True"])
def test_texts_without_the_form_are_not_found(world: World_, goal: str) -> None:
    assert not found_in_400(world, goal, "random")
