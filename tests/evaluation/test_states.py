"""Steps under each forcing: the interpreter is right in all; a model's one mistake is counted where it was its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from measured_suites import measured
from plain_predictor import PlainPredictor

from worldline.cli import main
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.core.stats import Share
from worldline.evaluation import suites
from worldline.evaluation.prediction_mode import FORCED, TeacherForced
from worldline.evaluation.run.directory import newest
from worldline.evaluation.run.run import run
from worldline.evaluation.suites.states import FORCES, clustered
from worldline.evaluation.suites.suite import Suite, Task
from worldline.evaluation.suites.value_groups import value_group
from worldline.evaluation.table import Between, Cell, Measured
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor

HUMANEVAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "HumanEval.jsonl.gz"
LOOP = Task(
    program=Program(
        source="def f(n):\n    d = {'k': 0, 'm': 1}\n    while n > 0:\n        n -= 1\n    return d\n", call="f(2)"
    )
)
TRUE = b"(1 n=2\n2 d={'k': 0, 'm': 1}\n3\n4 n=1\n3\n4 n=0\n3\n5\n){'k': 0, 'm': 1}\n.\n"


def measure(
    suite: Suite, predictor: Predictor, *, limit: int | None = None, force: str | Sequence[str] = FORCES
) -> Measured:
    return measured("states", suite, predictor, limit=limit, force=force)


class Edits(PlainPredictor):
    """Continues as the interpreter would, but for one thing that it always gets wrong."""

    name = "edits"

    def __init__(self, edit: Callable[[bytes], bytes]) -> None:
        self.edit = edit

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for ask in asks:
            mine = self.edit(TRUE)
            text = mine if mine.startswith(ask.given) else _joined(ask.given, mine)
            text = text[: ask.limit]
            yield Prediction(text=text, status="ended" if text.endswith(b"\n.\n") else "budget")


def _joined(given: bytes, mine: bytes) -> bytes:
    """What it would write behind a beginning that is not its own: its own lines from there on."""
    done = given.count(b"\n")
    rest = b"".join(mine.splitlines(keepends=True)[done:])
    part = given.rpartition(b"\n")[2]
    return given + (rest[len(part) :] if rest.startswith(part) else b"\n")


def figures(edit: Callable[[bytes], bytes], force: str) -> dict[str, Cell]:
    found = measure(Suite(name="one", tasks=[LOOP]), Edits(edit), force=force)
    assert (found.n, found.faults) == (1, 0)
    return dict(zip(found.tables[0].heads, found.tables[0].rows[0], strict=True))


def rate(cell: Cell) -> float:
    assert isinstance(cell, Between)
    return cell.rate


def perfect(found: Measured, n: int) -> None:
    assert (found.n, found.faults) == (n, 0)
    rows = {str(row[0]): row[1:] for row in found.tables[0].rows}
    assert list(rows) == list(FORCES)
    for force, (answers, both, actions, states, reach) in rows.items():
        assert answers == (None if force == "states" else Share(n, n))
        assert rate(both) == 1
        assert (actions is None) == (force == "actions")
        assert (states is None) == (force == "states")
        assert {rate(cell) for cell in (actions, states) if cell is not None} == {1}
        assert reach == 100


@pytest.mark.parametrize("of", ["generated", "permutation", "composition", "horizon"])
def test_the_interpreter_is_right_under_every_forcing(of: str) -> None:
    options = {"length": 64} if of == "horizon" else {}
    perfect(measure(suites.load("states", of=of, **options), Interpreter(), limit=3), 3)


@pytest.mark.skipif(not HUMANEVAL.is_file(), reason="HumanEval's file is not beside the repository")
def test_the_interpreter_is_right_on_humaneval() -> None:
    perfect(measure(suites.load("states", of="humaneval", data=HUMANEVAL), Interpreter(), limit=4), 4)


def test_the_scripted_truth_is_the_recorded_one() -> None:
    (found,) = Interpreter().predict([PredictionRequest(program=LOOP.program)])
    assert found.text == TRUE


def test_a_wrong_value_is_a_wrong_state_and_no_wrong_action() -> None:
    def edit(text: bytes) -> bytes:
        return text.replace(b"4 n=1", b"4 n=7")

    assert rate(figures(edit, "free")["steps"]) == pytest.approx(8 / 9)
    assert figures(edit, "free")["answers"] == Share(1, 1)
    assert rate(figures(edit, "actions")["states"]) == pytest.approx(8 / 9)
    assert rate(figures(edit, "states")["actions"]) == 1
    ahead = figures(edit, "next")
    assert rate(ahead["actions"]) == 1
    assert rate(ahead["states"]) == pytest.approx(8 / 9)
    assert ahead["% of steps before a wrong one"] == pytest.approx(100 * 3 / 9)


def test_wrong_values_are_counted_by_what_they_hold() -> None:
    def edit(text: bytes) -> bytes:
        return text.replace(b"4 n=1", b"4 n=7").replace(b"2 d={'k': 0", b"2 d={'k': 5")

    (table,) = measure(Suite(name="one", tasks=[LOOP]), Edits(edit), force="next").tables[2:]
    shares = {str(group): share for group, share in table.rows if isinstance(share, Share)}
    counts = {group: (share.some, share.n) for group, share in shares.items()}
    # Given is n, then n twice; the dictionary with strings is assigned and returned.
    assert counts == {"string": (0, 0), "holding strings": (1, 2), "other": (1, 3)}
    groups = {"'a'": "string", "['a', 1]": "holding strings", "{1: (2, 'b')}": "holding strings", "[1]": "other"}
    assert {text: value_group(text) for text in groups} == groups


def test_a_wrong_action_is_no_failure_where_actions_are_given() -> None:
    def edit(text: bytes) -> bytes:
        return text.replace(b"4 n=0\n3\n5\n", b"4 n=0\n3\n4\n")

    free = figures(edit, "free")
    assert rate(free["actions"]) == pytest.approx(7 / 9)  # the return then stands on another line as well
    # Behind it nothing could be given.
    assert rate(figures(edit, "states")["actions"]) == pytest.approx(7 / 8)
    assert figures(edit, "actions")["actions"] is None
    assert rate(figures(edit, "next")["actions"]) == pytest.approx(8 / 9)


@pytest.mark.parametrize("force", FORCES)
def test_values_are_compared_as_values(force: str) -> None:
    found = figures(lambda text: text.replace(b"{'k': 0, 'm': 1}", b"{'m': 1, 'k': 0}"), force)
    assert rate(found["steps"]) == 1


def test_the_answers_stand_in_the_rows_of_their_suite() -> None:
    found = measure(suites.load("states", of="permutation", length=(4, 6)), Interpreter(), limit=4, force="free")
    assert found.tables[1].rows == (("4", Share(2, 2)), ("6", Share(2, 2)))
    assert json.loads(json.dumps(found.as_json()))["tables"][0]["rows"][0]["forced"] == "free"


class Broken(PlainPredictor):
    """A tool that fails."""

    name = "broken"

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        return (Prediction(text=ask.given, status="fault") for ask in asks)


def test_faults_and_programs_without_an_answer_are_in_no_rate() -> None:
    endless = Task(program=Program(source="def f():\n    while True:\n        x = 1\n", call="f()"))
    found = measure(Suite(name="two", tasks=[endless, LOOP], limits=suites.load("generated").limits), Broken())
    assert (found.n, found.skipped, found.faults) == (1, 1, len(FORCES))
    assert all(row[1:5] == (None, None, None, None) for row in found.tables[0].rows)


def test_intervals_are_by_program() -> None:
    alike, apart = [(True, False) * 50] * 4, [(True,) * 100, (False,) * 100] * 2
    one, other = clustered(alike), clustered(apart)
    assert one is not None
    assert other is not None
    assert one.rate == other.rate == 0.5
    assert other.high - other.low > 0.6  # four programs, not four hundred steps
    assert clustered([None, ()]) is None


@pytest.mark.parametrize("force", FORCED)
def test_any_suite_runs_under_a_forcing(tmp_path: Path, force: str) -> None:
    helped = TeacherForced(Interpreter(), force)
    found = run(suites.load("permutation", length=(3, 8)), helped, limit=4, out=tmp_path / "run")
    assert (found.n, found.all.trace.right) == (4, 4)
    assert force in found.model
    (table,) = suites.tables("permutation", newest(tmp_path / "run").values())
    assert [row[0] for row in table.rows] == ["3", "8"]
    assert [row[3] for row in table.rows] == [None, 100.0]


def test_a_forcing_can_turn_a_wrong_answer() -> None:
    edits = Edits(lambda text: text.replace(b"5\n){'k': 0", b"5\n){'k': 9"))
    suite = Suite(name="one", tasks=[LOOP])
    assert run(suite, edits).all.answer.right == 0
    assert run(suite, TeacherForced(edits, "actions")).all.answer.right == 0
    assert run(suite, TeacherForced(edits, "states")).all.answer.right == 1


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda: suites.load("states", of="states"), "not of 'states'"),
        (lambda: suites.load("states", of="permutation", depth=3), "has no option depth"),
        (lambda: measure(suites.load("states"), Interpreter(), force="luck"), "not luck"),
        (lambda: measure(suites.load("states"), Interpreter(), force=()), "not none"),
        (lambda: TeacherForced(Interpreter(), "next"), "actions, states"),
    ],
)
def test_invalid_options_are_refused(act: Callable[[], object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        act()


def test_a_forced_run_verifies_resumes_and_takes_no_interventions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, words = str(tmp_path / "run"), ["bench", "permutation", "--length", "3", "--model", "interpreter"]
    assert main([*words, "--max-programs", "2", "--force", "actions", "-o", out]) == 0
    assert main(["verify", out]) == 0
    assert main(["intervene", out]) == 2
    assert "actions forced" in capsys.readouterr().err
    log = tmp_path / "run" / "records.jsonl"
    log.write_bytes(log.read_bytes().replace(b"right", b"wrong", 1))
    assert main(["verify", out]) == 1
    assert main([*words, "-M", "by=order", "-o", out]) == 2
