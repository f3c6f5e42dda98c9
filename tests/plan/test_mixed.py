"""The oracle over a world and a model: which of the two answers, what is kept of it, and what it costs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from math import log
from pathlib import Path

import pytest
from plain_predictor import PlainPredictor

import worldline.plan
from worldline.cli import main
from worldline.codec.compact.writer import encode_steps
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.plan.answer import IMAGINED, MIXED, RUN, UNKNOWN, Budget, ExecutionCost, ProgramRunner
from worldline.plan.code_features import code_features
from worldline.plan.executed import ExecutedOracle, limits_for, sandboxed_steps, sandboxed_world
from worldline.plan.gate import Gate
from worldline.plan.imagined import ImaginedOracle, predict_answers
from worldline.plan.journal import read_journal
from worldline.plan.ledger import LedgerEntry
from worldline.plan.mixed import NO_MODEL, MixedOracle
from worldline.plan.question import Question, read_question
from worldline.plan.stepping import ask_steps
from worldline.predict.interpreter import Interpreter
from worldline.predict.models import load_local
from worldline.predict.prediction import Prediction, PredictionRequest

SOURCE = "def f(n):\n    total = 1\n    for i in range(2):\n        total = total * n\n    return total\n"
RETURN = Question()
GATE = Gate.of_scores([*[(-9.0, False)] * 40, *[(-0.1, True)] * 60])


def square(n: int) -> Program:
    """A call."""
    return Program(source=SOURCE, call=f"f({n})")


class Student(PlainPredictor):
    """Imagines the truth, but for odd numbers; sure of what is small."""

    name = "student"

    def __init__(self, world: ProgramRunner) -> None:
        self._world, self.asked = world, 0

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """The truth of the next number, where a number is odd."""
        for ask in asks:
            self.asked += 1
            assert ask.program.call is not None
            n = int(ask.program.call[2:-1])
            text = encode_steps(self._world(square(n + n % 2)), ask.options)
            yield Prediction(text=text, status="ended", logprob=-0.01 if n < 10 else log(0.5))


class Counted:
    """A world that counts its runs."""

    def __init__(self, world: ProgramRunner) -> None:
        self._world, self.runs = world, 0

    def __call__(self, program: Program) -> Trace:
        self.runs += 1
        return self._world(program)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[ProgramRunner]:
    """One warm box."""
    with sandboxed_world() as world:
        yield world


def test_the_interpreter_answers_if_it_may(sandbox: ProgramRunner) -> None:
    answer = ExecutedOracle(sandbox).ask(square(3), RETURN, Budget())
    assert (answer.value, answer.how, answer.probability, answer.spent.executions) == ("9", RUN, 1.0, 1)
    none = ExecutedOracle(sandbox).ask(square(3), RETURN, Budget(executions=0))
    assert (none.value, none.how, none.spent.executions) == (None, UNKNOWN, 0)


def test_model_answers_if_its_gate_is_confident(sandbox: ProgramRunner) -> None:
    student = Student(sandbox)
    sure = ImaginedOracle(student, GATE).ask(square(4), RETURN, Budget())
    assert (sure.value, sure.how, sure.spent.executions) == ("16", IMAGINED, 0)
    assert sure.probability is not None
    assert 0.95 <= sure.probability < 1
    assert sure.spent.bytes > 0
    unsure = ImaginedOracle(student, GATE).ask(square(12), RETURN, Budget())
    assert (unsure.value, unsure.how) == (None, UNKNOWN)
    ungated = ImaginedOracle(student).ask(square(4), RETURN, Budget())
    assert (ungated.value, ungated.probability) == (None, None)
    assert "not calibrated" in ungated.why


def test_without_a_gate_every_question_is_run_and_nothing_imagined(sandbox: ProgramRunner) -> None:
    world = Counted(sandbox)
    student = Student(sandbox)
    answers = MixedOracle(world, student).ask_many([square(2), square(3), square(4)], RETURN, Budget(executions=2))
    assert [one.value for one in answers] == ["4", "9", None]
    assert world.runs == 2
    assert student.asked == 0
    assert all(one.why.endswith(NO_MODEL) for one in answers)


def test_a_journal_fills_until_the_gate_takes_over(sandbox: ProgramRunner, tmp_path: Path) -> None:
    world, student = Counted(sandbox), Student(sandbox)
    oracle = MixedOracle(world, student, journal=tmp_path)
    first = oracle.ask_many([square(2 * n) for n in range(5)] * 8, RETURN, Budget(executions=40))
    assert all(one.how == RUN for one in first)
    assert len(read_journal(tmp_path)) == 40
    # The same call eight times is one execution.
    assert oracle.calibration(square(100), RETURN).gate is None
    why = oracle.ask(square(100), RETURN, Budget(executions=0)).why
    assert why.endswith("5 executions of this function (5 needed) and 5 of its file (30 needed)")
    many = [square(2 * n) for n in range(-30, 5)] + [square(n) for n in range(11, 40, 2)]
    oracle.ask_many(many, RETURN, Budget(executions=50))
    entries = read_journal(tmp_path)
    assert {one.true == one.imagined for one in entries} == {True, False}
    again = MixedOracle(world, student, journal=tmp_path)
    runs = world.runs
    sure = again.ask(square(-62), RETURN, Budget())
    assert (sure.value, sure.how) == ("3844", IMAGINED)
    assert world.runs == runs
    unsure = again.ask(square(41), RETURN, Budget())
    assert (unsure.value, unsure.how, world.runs) == ("1681", RUN, runs + 1)
    assert unsure.why.startswith("executed in the sandbox: at least ")
    last = read_journal(tmp_path)[-1]
    assert (last.imagined, last.true, last.model) == ("1764", "1681", "student")
    assert last.probability is not None
    assert last.probability < 0.95
    assert again.calibration(square(41), read_question("raises")).gate is None


@pytest.fixture(scope="module")
def local():  # type: ignore[no-untyped-def]
    """The shipped model."""
    return load_local()


def test_true_steps_are_added_until_confidence_is_enough(local, sandbox: ProgramRunner) -> None:  # type: ignore[no-untyped-def]
    program = square(7)
    (predicted,) = predict_answers(local, [program], RETURN, limit=2_000, fine=True)
    least = min(range(len(predicted.sure)), key=lambda n: predicted.sure[n].logprob)
    found = ask_steps(local, sandboxed_steps(), predicted, RETURN, most=1, enough=lambda one: False)
    assert found.told == 1
    if found.trace is None:
        truth = encode_steps(sandbox(program), predicted.ask.options)
        assert truth.startswith(found.predicted.ask.given)
        assert found.ran == least + 2
    else:  # the least sure step was the last
        assert found.trace.outcome.kind == "returned"
    sure = Gate.of_scores([(-1e-9, True)] * 40 + [(-1.0, False)] * 40)
    answer = MixedOracle(sandbox, local, sure, first=sandboxed_steps()).ask(
        program, RETURN, Budget(executions=0, steps=50, bytes=2_000)
    )
    assert (answer.value, answer.spent.executions) == ("49", 0)
    assert answer.how in (MIXED, RUN)
    assert 0 < answer.spent.steps <= 50


def test_a_line_is_scored_by_the_text_up_to_it(local) -> None:  # type: ignore[no-untyped-def]
    (line,) = predict_answers(local, [square(2)], read_question("line:4"), limit=2_000)
    (whole,) = predict_answers(local, [square(2)], read_question("passes"), limit=2_000)
    assert (line.value, whole.value) == ("yes", "yes")
    assert line.score is not None
    assert whole.score is not None
    assert 0 >= line.score > whole.score


def test_the_public_names_are_there() -> None:
    for name in worldline.plan.__all__:
        assert getattr(worldline.plan, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        worldline.plan.nonsense  # noqa: B018


def test_answer_reports_its_kind_and_cost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "power.py"
    file.write_text(SOURCE)
    assert main(["ask", str(file), "--call", "f(3)"]) == 0
    told = capsys.readouterr().out
    assert "9" in told
    assert "Executed in the sandbox: no calibration data for this code yet" in told
    assert "cost: 1 execution" in told
    assert main(["ask", str(file), "--call", "f(3)", "--executions", "0", "--json"]) == 1
    row = json.loads(capsys.readouterr().out)
    assert (row["value"], row["how"], row["question"]) == (None, "unknown", "return")
    journal = str(tmp_path / "journal")
    assert main(["ask", str(file), "--call", "f(3)", "--what", "line:4", "--journal", journal, "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert (row["value"], row["how"], row["spent"]["executions"]) == ("yes", "run", 1)
    assert row["spent"]["bytes"] > 0
    (entry,) = read_journal(journal)
    assert (entry.true, str(entry.question), entry.program.call) == ("yes", "line:4", "f(3)")
    assert main(["ask", str(file), "--call", "f(3)", "--what", "colour"]) == 2
    assert "is not a question" in capsys.readouterr().err


def test_each_scratchpad_is_calibrated_on_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, journal = tmp_path / "power.py", str(tmp_path / "journal")
    file.write_text(SOURCE)
    words = ["ask", str(file), "--journal", journal, "--call"]
    options = ([], ["--scratchpad", "none"], ["--what", "line:4"], ["--true-steps", "1"])
    for number, more in enumerate(options):
        assert main([*words, f"f({number})", *more]) == 0
    by_default, raw, line, stepped = (entry.model for entry in read_journal(journal))
    assert by_default == f"{raw} auto"
    assert line == stepped == raw
    assert main([*words, "f(7)", "--scratchpad", "auto", "--what", "line:4"]) == 2
    assert "on a scratchpad a model predicts return, raises, passes" in capsys.readouterr().err


def test_what_was_executed_is_known_unless_it_draws(sandbox: ProgramRunner, tmp_path: Path) -> None:
    world, student = Counted(sandbox), Student(sandbox)
    first = MixedOracle(world, student, journal=tmp_path).ask(square(5), RETURN, Budget())
    again = MixedOracle(world, student, journal=tmp_path)
    known_answer = again.ask(square(5), RETURN, Budget(executions=0))
    assert (known_answer.value, known_answer.how, known_answer.probability) == (first.value, RUN, 1.0)
    assert re.fullmatch(r"known: executed on \d{4}-\d\d-\d\d, and it draws nothing", known_answer.why)
    assert (world.runs, student.asked) == (1, 1)
    assert known_answer.spent == ExecutionCost()
    # Another question about the same program is executed.
    assert again.ask(square(5), read_question("raises"), Budget()).why.startswith("executed")
    drawn = Program(source="import random\ndef f(n):\n    return random.randrange(n)\n", call="f(1000)")
    answers = [MixedOracle(world, Interpreter(), journal=tmp_path).ask(drawn, RETURN, Budget()) for _ in range(2)]
    assert [answer.why.startswith("executed in the sandbox, once") for answer in answers] == [True, True]
    assert [entry.drew for entry in read_journal(tmp_path)] == [False, False, True, True]


def test_an_older_journal_says_nothing_of_draws(sandbox: ProgramRunner, tmp_path: Path) -> None:
    MixedOracle(sandbox, Student(sandbox), journal=tmp_path).ask(square(5), RETURN, Budget())
    path = tmp_path / "journal.jsonl"
    head, line = path.read_text().splitlines()
    row = {key: value for key, value in json.loads(line).items() if key not in ("date", "drew")}
    path.write_text(f"{head}\n{json.dumps(row)}\n")
    assert MixedOracle(sandbox, Student(sandbox), journal=tmp_path).ask(square(5), RETURN, Budget()).spent.executions


def test_result_of_a_draw_is_not_certain(sandbox: ProgramRunner) -> None:
    drawn = Program(source="import random\ndef f(n):\n    return random.randrange(n)\n", call="f(1000)")
    answer = ExecutedOracle(sandbox).ask(drawn, RETURN, Budget())
    assert (answer.how, answer.probability) == (RUN, None)
    assert "a draw of 0 to 999" in answer.why
    assert "another execution may differ" in answer.why
    seeded = Program(source="import random\ndef f(n):\n    return random.Random(n).random()\n", call="f(3)")
    assert ExecutedOracle(sandbox).ask(seeded, RETURN, Budget()).probability == 1.0
    read = Program(source="print(input())\n", stdin="a\n")
    assert ExecutedOracle(sandbox).ask(read, RETURN, Budget()).probability == 1.0


def test_answers_after_true_steps_are_stored(local, sandbox: ProgramRunner, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    never = Gate.of_scores([(-1.0, False)] * 40)
    oracle = MixedOracle(sandbox, local, never, journal=tmp_path, first=lambda program, _: sandbox(program))
    answer = oracle.ask(square(7), RETURN, Budget(executions=0, steps=1, bytes=2_000))
    assert (answer.value, answer.how) == ("49", RUN)
    (entry,) = read_journal(tmp_path)
    assert (entry.true, entry.told) == ("49", 0)  # what was imagined before the step that told was imagined whole


def known(model: str, told: int) -> list[LedgerEntry]:
    """A ledger of 40 texts that were right where they were nearly certain, and 40 that were not."""
    return [
        LedgerEntry(
            digest=f"{n}", question="return", why="", imagined="1", true="1" if n < 40 else "2",
            score=-1e-3 if n < 40 else -1.0, model=model, told=told, code=code_features(square(n)),
        )
        for n in range(80)
    ]  # fmt: skip


def test_a_text_behind_true_steps_is_judged_by_such_texts(local, sandbox: ProgramRunner) -> None:  # type: ignore[no-untyped-def]
    whole = MixedOracle(sandbox, local, ledger=known(local.info.digest, 0), first=sandboxed_steps())
    answer = whole.ask(square(37), RETURN, Budget(executions=1, steps=1, bytes=2_000))
    assert (answer.value, answer.how, answer.spent.executions, answer.spent.steps) == ("1369", RUN, 1, 1)
    assert answer.why.endswith(
        "no execution of this file, and 0 other files (30 needed), for predictions after true steps"
    )
    assert (whole.ledger[-1].told, whole.ledger[-1].is_right, whole.ledger[-1].probability) == (1, True, None)
    none = whole.ask(square(38), RETURN, Budget(executions=0, steps=1, bytes=2_000))
    assert (none.value, none.how, none.probability) == (None, UNKNOWN, None)
    assert "the journal has 1 execution of this function (5 needed) and 1 of its file (30 needed)" in none.why
    both = known(local.info.digest, 0) + known(local.info.digest, 2)
    told = MixedOracle(sandbox, local, ledger=both, first=sandboxed_steps())
    answer = told.ask(square(37), RETURN, Budget(executions=0, steps=1, bytes=2_000))
    assert (answer.value, answer.how, answer.spent.steps) == ("1369", MIXED, 1)
    assert answer.probability is not None
    assert 0.95 <= answer.probability < 1
    assert "were executed, the rest is predicted" in answer.why


def test_steps_with_draws_are_not_certain(local, sandbox: ProgramRunner) -> None:  # type: ignore[no-untyped-def]
    source = "import random\ndef f(n):\n    a = random.randrange(n)\n    b = a * 37 + n\n    return b\n"
    drawn = Program(source=source, call="f(1000)")
    never = Gate.of_scores([(-1.0, False)] * 40)
    steps = MixedOracle(sandbox, local, never, first=sandboxed_steps())
    told = steps.ask(drawn, RETURN, Budget(executions=0, steps=50, bytes=2_000))
    assert (told.value, told.how, told.spent.steps) == (None, UNKNOWN, 1)
    assert "the result depends on a draw of 0 to 999" in told.why
    run = steps.ask(drawn, RETURN, Budget(executions=1, steps=50, bytes=2_000))
    assert (run.how, run.probability) == (RUN, None)
    assert "another execution may differ" in run.why
    line = steps.ask(drawn, read_question("line:4"), Budget(executions=0, steps=50, bytes=2_000))
    assert (line.value, line.how, line.probability) == ("yes", RUN, None)
    assert "another execution may differ" in line.why
    sure = steps.ask(square(7), read_question("line:4"), Budget(executions=0, steps=50, bytes=2_000))
    assert (sure.value, sure.how, sure.probability) == ("yes", RUN, 1.0)


def test_whether_it_ends_takes_no_more_steps_than_it_asks_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "forever.py"
    file.write_text("def f(n):\n    while True:\n        n += 1\n")
    ends = read_question("ends:500")
    with sandboxed_world(limits=limits_for(ends)) as world:
        trace = world(Program(source=file.read_text(), call="f(1)"))
    assert (len(trace), trace.outcome.kind, trace.outcome.detail) == (501, "limit", "steps")
    assert main(["ask", str(file), "--call", "f(1)", "--what", "ends:500", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == "no"
    few = limits_for(RETURN, Limits(steps=7))
    assert few == Limits(steps=7)
    for n, value in ((8, "no"), (9, "yes")):
        with sandboxed_world(limits=limits_for(read_question(f"ends:{n}"), Limits(steps=3, wall=5))) as world:
            answer = ExecutedOracle(world).ask(square(3), read_question(f"ends:{n}"), Budget())
        assert answer.value == value
