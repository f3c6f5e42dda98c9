"""Rollouts of the shipped model and of predictors that misbehave: nothing is lost, nothing is raised."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from branch_programs import COUNT, FACT, recorded_session
from plain_predictor import PlainPredictor

from worldline.codec.compact.turns import turns
from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.diagnose.debug import debug
from worldline.diagnose.reading import read
from worldline.predict.confidence import step_confidences
from worldline.predict.forcing.forced import Edit, roll
from worldline.predict.interpreter import Interpreter
from worldline.predict.local import Local
from worldline.predict.models import load_model
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.ui.session.branches.branch import Branch, BranchEdit
from worldline.ui.session.rollout import RolloutProgress, predict_branch, predict_root
from worldline.ui.session.session import Session

BERRY = Program(
    source="def count(word, letter):\n    n = 0\n    for c in word:\n        n += int(c == letter)\n    return n\n",
    call="count('berry', 'r')",
)
EXAMPLES = Path(__file__).parents[2] / "examples"
COUNTING = Program(source="def f(n):\n    a = 0\n    while a < n:\n        a += 1\n    return a\n", call="f(900)")

pytestmark = pytest.mark.usefixtures("sandbox")


@pytest.fixture(scope="module")
def model() -> Local:
    found = load_model()
    assert isinstance(found, Local)
    return found.settled()


def imagined(program: Program, predictor: Local, **options: int) -> Session:
    session = Session.new(program, model=predictor.info.name, **options)
    list(predict_root(session, predictor))
    return session


@pytest.fixture(scope="module")
def berry(model: Local) -> Session:
    return imagined(BERRY, model)


def branched(session: Session, predictor: object, parent: int = 0, **fields: object) -> Branch:
    steps = list(predict_branch(session, predictor, BranchEdit(**fields), parent=parent))  # type: ignore[arg-type]
    assert steps[0].stage == "truth"
    assert steps[-1].stage in ("done", "failed")
    return session.branch(steps[-1].branch)


class TestTheShippedModel:
    def test_a_new_session_is_recorded_and_predicted(self, model: Local, berry: Session) -> None:
        root = berry.branch(0)
        (alone,) = model.predict([root.ask])
        assert (root.status, root.why, root.note) == ("done", "", "")
        assert root.truth is not None
        assert root.truth.text == next(iter(Interpreter().predict([root.ask]))).text
        assert (root.found.text, root.found.status, root.found.logprob) == (alone.text, alone.status, alone.logprob)
        assert root.confidences == tuple(step_confidences(root.ask, alone, model.logprobs, model.entropies))
        assert root.cause is not None
        if root.cause.name != "right":
            assert root.belief is not None
            assert root.belief.truth is not None

    def test_an_edit_goes_on_as_forcing_does(self, model: Local, berry: Session) -> None:
        root = berry.branch(0)
        branch = branched(berry, model, kind="edit", step=2, name="n", value="30")
        edit = Edit(2, {"n": "30"})
        ask = replace(root.ask, limit=branch.ask.limit)
        (forced,) = roll(model, [ask], [root.found], force="edited", edits=[edit])
        assert sorted(forced.prediction.text) == sorted(branch.found.text)  # the interpreter's order of names
        assert branch.status == "done"
        assert branch.truth is not None
        assert branch.truth.text.endswith(b")32\n.\n")

    @pytest.mark.long(reason="the shipped model goes on from four lines")
    def test_a_forced_line_is_run_and_its_state_is_the_models(self, model: Local, berry: Session) -> None:
        for line in (2, 3, 4, 5):
            branch = branched(berry, model, kind="line", step=3, line=line)
            text = branch.found.text
            turn = turns(text)[4]
            assert turn.action(text) == b"%d" % line
            assert branch.at == 4
            assert branch.found.text.startswith(b"".join(text[t.start : t.end] for t in turns(text)[:4]))
            assert (branch.truth is None) == bool(branch.why)

    def test_the_line_that_is_next_anyway(self, model: Local, berry: Session) -> None:
        root = berry.branch(0)
        line = read(root.ask, root.found).events[4].line
        assert branched(berry, model, kind="line", step=3, line=line).found.text == root.found.text

    def test_the_guard_lets_a_forced_line_pass(self, model: Local, berry: Session) -> None:
        guarded = model.settled(guard=True)
        branch = branched(berry, guarded, kind="line", step=0, line=4)  # no line that can be first
        assert branch.found.text.startswith(berry.branch(0).found.text.split(b"\n")[0] + b"\n4")
        assert branch.status == "done"

    def test_late_changes_come_before_a_forced_line(self, model: Local) -> None:
        cut = b"(1 n=3\n2\n4\n(1 n=2\n2\n4\n(1 n=1\n2\n3\n)1\n"
        session = recorded_session(FACT, cut, None, status="budget")
        branch = branched(session, model, kind="line", step=9, line=5)
        rest = branch.found.text[len(cut) :]
        late, _, after = rest.partition(b"\n")
        assert branch.found.text.startswith(cut)
        assert rest.startswith(b"5") or (late.startswith(b" ") and after.startswith(b"5"))
        assert turns(branch.found.text)[10].action(branch.found.text) == b"5"
        reading = read(branch.ask, branch.found)
        assert reading.malformed is None
        assert reading.events[10].line == 5
        assert reading.events[10].frame == 1

    @pytest.mark.long(reason="the shipped model writes a run twice")
    def test_a_budget_goes_on_where_it_was_cut(self, model: Local) -> None:
        whole = imagined(BERRY, model).branch(0)
        session = imagined(BERRY, model, limit=40)
        assert (len(session.branch(0).found.text), session.branch(0).found.status) == (40, "budget")
        branch = branched(session, model, kind="budget", limit=whole.ask.limit)
        assert (branch.found.text, branch.found.status) == (whole.found.text, whole.found.status)
        assert branch.truth == session.branch(0).truth
        assert branch.at == whole.found.text[:40].count(b"\n")
        assert [step.end for step in branch.confidences] == [step.end for step in whole.confidences]
        for one, other in zip(branch.confidences, whole.confidences, strict=True):
            assert one[2:] == pytest.approx(other[2:])  # the part that was written before counts as well

    @pytest.mark.long(reason="the shipped model predicts another program")
    def test_a_rewritten_program_has_rows_of_its_own(self, model: Local, berry: Session) -> None:
        branch = branched(berry, model, kind="rewrite", how="flatten")
        assert branch.ask.program.source != BERRY.source
        assert branch.truth is not None
        assert read(branch.ask, branch.truth).answer == ("return", "2")
        assert berry.describe_branch(branch.id)["program"]["source"] == branch.ask.program.source
        assert (branch.status, branch.note, branch.at) == ("done", "", 0)

    def test_a_name_that_the_program_does_not_have(self, model: Local, berry: Session) -> None:
        branch = branched(berry, model, kind="edit", step=2, name="unheard", value="[1]")
        assert branch.status == "done"
        assert branch.truth is None
        assert "unheard" in branch.why
        assert len(branch.found.text) > len(branch.ask.given)

    def test_confidences_of_the_parent_are_inherited(self, model: Local, berry: Session) -> None:
        root = berry.branch(0)
        branch = branched(berry, model, kind="edit", step=2, name="n", value="30")
        assert branch.confidences[:2] == root.confidences[:2]
        assert branch.confidences[2].logprob == 0.0  # given counts as certain
        assert any(step.logprob < 0 for step in branch.confidences[3:])


class TestStopping:
    @pytest.mark.parametrize("stage", ["truth", "model"])
    def test_it_stops_and_keeps_what_it_has(self, model: Local, berry: Session, stage: str) -> None:
        halt, last = threading.Event(), RolloutProgress(0, "")
        for last in predict_branch(
            berry, model, BranchEdit(kind="edit", step=2, name="n", value="5"), stop=halt.is_set
        ):
            if last.stage == stage:
                halt.set()
        branch = berry.branch(last.branch)
        assert (branch.status, branch.note) == ("stopped", "stopped")
        assert (last.stage, last.note) == ("done", "stopped")
        assert branch.found.text.startswith(branch.ask.given)
        assert branch.cause is None

    def test_one_that_was_stopped_goes_on_by_a_budget(self, model: Local, berry: Session) -> None:
        halt = threading.Event()
        session = Session.new(BERRY, model="default")
        for step in predict_root(session, model, stop=halt.is_set):
            if step.stage == "model":
                halt.set()
        assert session.branch(0).status == "stopped"
        branch = branched(session, model, kind="budget", limit=4000)
        assert branch.found.text == berry.branch(0).found.text

    @pytest.mark.parametrize("name", ["paint.py", "account.py"])
    def test_on_a_scratchpad_it_predicts_as_debug_does(self, model: Local, name: str) -> None:
        call = {"paint.py": "paint([[1, 2], [3, 4]])", "account.py": "month('Ada')"}[name]
        program = Program(source=(EXAMPLES / name).read_text("utf-8"), call=call)
        session, debugged = Session.new(program, model="default"), debug(program, model, interventions=False)
        progress = list(predict_root(session, model, scratchpad=None))
        root = session.branch(0)
        assert progress[-1].stage == "done"
        assert root.found.scratch is not None
        assert (root.truth, root.found.text) == (debugged.sample.truth, debugged.sample.found.text)
        assert (root.confidences, root.cause, root.belief) == (debugged.confidences, debugged.cause, debugged.belief)

    def test_on_a_scratchpad_it_stops_where_it_is(self, model: Local) -> None:
        halt = threading.Event()
        session = Session.new(COUNTING, model="default", limit=20_000)
        written = 0
        for step in predict_root(session, model, scratchpad="auto", stop=halt.is_set):
            if step.bytes > 200:
                written = step.bytes
                halt.set()
        root = session.branch(0)
        assert (root.status, root.note) == ("stopped", "stopped")
        assert written > 200
        assert root.truth is not None
        assert 0 < len(root.found.text) < len(root.truth.text)

    def test_leaving_early_stops_the_branch(self, model: Local, berry: Session) -> None:
        growing = predict_branch(berry, model, BranchEdit(kind="edit", step=2, name="n", value="5"))
        number = next(growing).branch
        assert berry.branch(number).status == "running"
        with pytest.raises(UsageError, match="still being predicted"):
            predict_branch(berry, model, BranchEdit(kind="edit", step=2, name="n", value="5"), parent=number)
        growing.close()  # type: ignore[attr-defined]
        assert berry.branch(number).status == "stopped"


class Odd(PlainPredictor):
    """Does something else than to go on."""

    name = "odd"

    def __init__(self, act: Callable[[PredictionRequest], Prediction]) -> None:
        self.act = act

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """What it does."""
        for ask in asks:
            yield self.act(ask)


def _raises(ask: PredictionRequest) -> Prediction:
    raise ConnectionError("the line is dead")


def test_a_failing_predictor_gives_a_failed_branch(berry: Session) -> None:
    for act, note in (
        (_raises, "the line is dead"),
        (lambda ask: Prediction(text=ask.given, status="fault", note="no answer in time"), "no answer in time"),
        (lambda ask: Prediction(text=b"1\n", status="ended"), "the model does not continue the given text"),
    ):
        branch = branched(berry, Odd(act), kind="edit", step=2, name="n", value="5")
        assert (branch.status, branch.note) == ("failed", note)
        assert branch.truth is not None


def test_a_text_model_that_extends_the_line_number_is_asked_again(berry: Session) -> None:
    asked: list[bytes] = []

    def act(ask: PredictionRequest) -> Prediction:
        asked.append(ask.given)
        return Prediction(text=ask.given + (b"1)7\n" if ask.given.endswith(b"5") else b")0\n.\n"), status="ended")

    branch = branched(berry, Odd(act), kind="line", step=3, line=5)
    assert asked[0].endswith(b"\n5")
    assert asked[1] == asked[0] + b"\n"
    assert branch.found.text == asked[1] + b")0\n.\n"
    assert branch.confidences == berry.branch(0).confidences[:4]


def test_another_notation_cannot_continue(berry: Session) -> None:
    other = Interpreter(codec="cwm")
    with pytest.raises(UsageError, match="writes cwm"):
        predict_branch(berry, other, BranchEdit(kind="edit", step=2, name="n", value="5"))
    branch = branched(berry, other, kind="rewrite", how="flatten")  # a new program can be written in any
    assert branch.found.codec == "cwm"
    assert branch.cause is not None
    assert branch.cause.name == "right"


@pytest.mark.parametrize("codec", ["compact", "cwm"])
def test_a_budget_in_both_notations(codec: str) -> None:
    session = Session.new(COUNT, model="interpreter", limit=60)
    list(predict_root(session, Interpreter(codec=codec)))
    assert session.branch(0).found.status == "budget"
    branch = branched(session, Interpreter(codec=codec), kind="budget", limit=1 << 16)
    assert branch.truth is not None
    assert branch.found.text == branch.truth.text
    assert branch.cause is not None
    assert branch.cause.name == "right"


def test_a_program_that_cannot_be_recorded_is_predicted(model: Local) -> None:
    session = imagined(Program(source="def f(:\n    pass\n", call="f()"), model, limit=60)
    root = session.branch(0)
    assert root.truth is None
    assert "SyntaxError" in root.why
    assert root.status in ("done", "failed")
    assert session.describe_branch(0)["answer"]["right"] is None


def test_an_endless_continuation_is_cut() -> None:
    source = "def f(n):\n    while n != 0:\n        n = n - 1\n    return n\n"
    session = Session.new(Program(source=source, call="f(2)"), model="interpreter")
    list(predict_root(session, Interpreter()))
    steps = list(
        predict_branch(
            session, Interpreter(), BranchEdit(kind="edit", step=1, name="n", value="-1"), limits=Limits(steps=200)
        )
    )
    branch = session.branch(steps[-1].branch)
    assert branch.truth is not None
    assert branch.truth.status == "budget"
    assert len(read(branch.ask, branch.truth).events) == 200
    assert branch.status == "done"


def test_a_branch_can_be_read_while_it_is_written(model: Local) -> None:
    """Every look sees a whole branch: rows that fit its text, and a text that only grows."""
    session, over, faults, seen = (Session.new(BERRY, model="default"), threading.Event(), list[BaseException](), [0])

    def look() -> None:
        try:
            while not over.is_set():
                told, run_diff = session.describe_branch(0), session.run_diff(0)
                assert len(run_diff.rows) >= len(run_diff.right)
                assert told["cost"]["found_bytes"] >= seen[-1]
                seen.append(told["cost"]["found_bytes"])
        except BaseException as fault:
            faults.append(fault)

    watcher = threading.Thread(target=look)
    watcher.start()
    for _ in predict_root(session, model):
        pass
    over.set()
    watcher.join()
    assert not faults
    assert session.branch(0).status == "done"


@pytest.mark.long(reason="the shipped model writes two branches")
def test_two_branches_at_once(model: Local, berry: Session) -> None:
    before = len(berry.branches)
    both = [predict_branch(berry, model, BranchEdit(kind="edit", step=2, name="n", value=str(k))) for k in (7, 8)]
    threads = [threading.Thread(target=list, args=(one,)) for one in both]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = berry.branches[before:]
    assert [branch.id for branch in found] == [before, before + 1]
    assert [branch.edit and branch.edit.value for branch in found] == ["7", "8"]
    assert all(branch.status == "done" for branch in found)


def test_a_root_is_predicted_once(berry: Session, model: Local) -> None:
    with pytest.raises(UsageError, match="recorded already"):
        predict_root(berry, model)
