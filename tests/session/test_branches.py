"""Where an edit takes effect, and that the interpreter's continuation is what the text then says."""

from __future__ import annotations

from typing import Any

import pytest
from branch_programs import CATCH, COUNT, FACT, PROGRAMS, PULL, SCRIPT, SPEAK, recorded_session, true_session

from worldline.core.change import Change
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.diagnose.reading import read
from worldline.predict.interpreter import Interpreter, continue_from
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.ui.session.branches.branch import Branch, BranchEdit
from worldline.ui.session.branches.plan import BranchPlan, plan_branch
from worldline.ui.session.rollout import predict_branch
from worldline.ui.session.session import Session

FACT_TEXT = b"(1 n=3\n2\n4\n(1 n=2\n2\n4\n(1 n=1\n2\n3\n)1\n r=1\n5\n)2\n r=2\n5\n)6\n.\n"
PULL_TEXT = (
    b"(6 n=2\n7 t=0\n8\n(1 n=2\n2 i=0\n3 j=0\n4\n*0\n x=0\n9\n8\n~\n2 i=1\n3 j=2\n4\n*2\n x=2\n9 t=2\n8\n~\n2\n)None\n"
    b"10\n)2\n.\n"
)
SPEAK_TEXT = b"(1 a=1\n2\n:'1\\n'\n3 b=2\n4\n:'2\\n'\n5\n)2\n.\n"


def edit(kind: str, **fields: Any) -> BranchEdit:
    return BranchEdit(kind=kind, **fields)


def plan(of: Program, text: bytes, kind: str, *, status: str = "ended", **fields: Any) -> BranchPlan:
    """How a text goes on from an intervention."""
    return plan_branch(recorded_session(of, text, status=status).branch(0), edit(kind, **fields))


def branched(session: Session, kind: str, parent: int = 0, **fields: Any) -> Branch:
    """A branch that the interpreter predicted."""
    last = list(predict_branch(session, Interpreter(), edit(kind, **fields), parent=parent))[-1]
    return session.branch(last.branch)


class TestPlaces:
    """No program is run here."""

    def test_a_line_is_forced_behind_its_step(self) -> None:
        found = plan(FACT, FACT_TEXT, "line", step=4, line=3)
        assert found.ask.given == b"(1 n=3\n2\n4\n(1 n=2\n2\n"
        assert (found.at, found.late) == (5, False)

    def test_a_line_that_called_is_done_when_the_call_is_back(self) -> None:
        found = plan(FACT, FACT_TEXT, "line", step=2, line=2)
        assert found.ask.given == FACT_TEXT[: FACT_TEXT.index(b" r=2\n") + 5]
        assert found.at == 12
        assert found.point is not None
        assert (found.point.step, found.point.frame) == (2, 0)

    def test_behind_a_return_the_caller_runs_the_line(self) -> None:
        assert plan(FACT, FACT_TEXT, "line", step=11, line=2) == plan(FACT, FACT_TEXT, "line", step=2, line=2)

    def test_behind_a_yield_the_consumer_runs_the_line(self) -> None:
        found = plan(PULL, PULL_TEXT, "line", step=7, line=10)
        assert found.point is not None
        assert (found.point.step, found.point.frame, found.at) == (2, 0, 8)
        assert found.ask.given.endswith(b"*0\n x=0\n")

    def test_behind_a_resume_the_generator_runs_the_line(self) -> None:
        found = plan(PULL, PULL_TEXT, "line", step=10, line=3)
        assert found.point is not None
        assert (found.point.step, found.point.frame, found.at) == (10, 1, 11)

    def test_behind_an_exception_that_left_the_caller_runs_the_line(self) -> None:
        text = b"(6 x=2\n7\n8\n(1 x=2\n2\n3\n)!ValueError(2)\n!ValueError(2)\n9 e=ValueError(2)\n"
        found = plan(CATCH, text, "line", status="budget", step=6, line=12)
        assert found.point is not None
        assert (found.point.step, found.point.frame, found.at) == (2, 0, 7)

    def test_what_a_line_printed_is_kept(self) -> None:
        for step in (1, 2):
            found = plan(SPEAK, SPEAK_TEXT, "line", step=step, line=4)
            assert found.ask.given == b"(1 a=1\n2\n:'1\\n'\n"
            assert plan(SPEAK, SPEAK_TEXT, "edit", step=step, name="a", value="5").at == 1

    def test_the_last_step_of_a_cut_text(self) -> None:
        found = plan(FACT, b"(1 n=3\n2\n4", "line", status="budget", step=1, line=5)
        assert (found.ask.given, found.at, found.late) == (b"(1 n=3\n2\n", 2, False)

    @pytest.mark.parametrize("rest", [b"", b"5", b" r="])
    def test_late_changes_that_are_not_written_are_still_due(self, rest: bytes) -> None:
        text = FACT_TEXT[: FACT_TEXT.index(b" r=1\n")]
        found = plan(FACT, text + rest, "line", status="budget", step=9, line=5)
        assert (found.ask.given, found.late) == (text, True)

    def test_late_changes_that_are_written_are_kept(self) -> None:
        text = FACT_TEXT[: FACT_TEXT.index(b" r=1\n") + 5]
        found = plan(FACT, text, "line", status="budget", step=9, line=5)
        assert (found.ask.given, found.late) == (text, False)

    def test_an_edit_stands_in_late_changes(self) -> None:
        found = plan(FACT, FACT_TEXT, "edit", step=5, name="n", value="7")
        assert found.ask.given.endswith(b"3\n)1\n r=1 n=7\n")
        assert found.at == 5

    def test_values_are_taken_in_any_spelling(self) -> None:
        found = plan(FACT, FACT_TEXT, "edit", step=1, name="n", value='{ "a":0x10 }')
        assert found.ask.given == b"(1 n=3\n2 n={'a': 16}\n"

    def test_a_name_is_taken_away(self) -> None:
        assert plan(FACT, FACT_TEXT, "edit", step=1, name="n").ask.given == b"(1 n=3\n2 -n\n"

    def test_a_branch_has_bytes_to_continue(self) -> None:
        text = b"(1 n=3\n2\n"
        ask, nothing = PredictionRequest(program=FACT, limit=len(text)), Prediction(text=b"", status="fault")
        branch = Branch(
            id=0, parent=None, edit=None, ask=ask, truth=nothing, found=Prediction(text=text, status="budget")
        )
        assert plan_branch(branch, edit("line", step=1, line=3)).ask.max_new_bytes > 1000
        assert plan_branch(branch, edit("budget", limit=100)).ask == PredictionRequest(
            program=FACT, limit=100, given=text
        )


class TestImpossibleEdits:
    """A UsageError with the reason; no branch is added."""

    @pytest.mark.parametrize(
        ("fields", "said"),
        [
            ({"kind": "line", "step": 13, "line": 2}, "nothing executes after step 13"),
            ({"kind": "line", "step": 99, "line": 2}, "no step 99: the predicted run has 14"),
            ({"kind": "line", "step": -1, "line": 2}, "no step -1"),
            ({"kind": "line", "step": 1, "line": 6}, "line 6 cannot execute"),
            ({"kind": "line", "step": 1, "line": 0}, "line 0 cannot execute"),
            ({"kind": "edit", "step": 13, "name": "n", "value": "1"}, "has no names to edit"),
            ({"kind": "edit", "step": 1, "name": "n", "value": "1 +"}, "not a value"),
            ({"kind": "edit", "step": 1, "name": "n=1 m", "value": "1"}, "is not a valid name"),
            ({"kind": "budget", "limit": 9000}, "not cut by its budget"),
            ({"kind": "rewrite", "how": "chars"}, "nothing to decompose"),
        ],
    )
    def test_an_impossible_edit_is_refused(self, fields: dict[str, Any], said: str) -> None:
        session = recorded_session(FACT, FACT_TEXT, FACT_TEXT)
        with pytest.raises(UsageError, match=said):
            predict_branch(session, Interpreter(), BranchEdit.of_json(fields))
        assert len(session.branches) == 1

    @pytest.mark.parametrize(
        ("told", "said"),
        [
            ({"kind": "hope"}, "one of edit, line, budget, rewrite"),
            ({}, "one of edit, line, budget, rewrite"),
            ({"kind": "line", "step": 1}, "needs `line`"),
            ({"kind": "line", "step": 1, "line": "2"}, "`line` must be an integer"),
            ({"kind": "line", "step": True, "line": 2}, "`step` must be an integer"),
            ({"kind": "budget", "limit": 1, "how": "chars"}, "`budget` has no `how`"),
            ({"kind": "rewrite", "how": "away"}, "flatten, chars, both"),
            ({"kind": "edit", "step": 1, "name": "n", "force": 1}, "has no 'force'"),
        ],
    )
    def test_an_edit_has_the_fields_of_its_kind(self, told: dict[str, Any], said: str) -> None:
        with pytest.raises(UsageError, match=said):
            BranchEdit.of_json(told)

    def test_a_frame_that_waits_where_the_text_ends(self) -> None:
        for kind, more in (("line", {"line": 2}), ("edit", {"name": "n", "value": "1"})):
            with pytest.raises(UsageError, match="step 2 is not complete at the end of the text"):
                plan(FACT, b"(1 n=3\n2\n4\n(1 n=2\n2\n", kind, status="budget", step=2, **more)

    def test_a_budget_that_is_spent(self) -> None:
        with pytest.raises(UsageError, match="9 are written already"):
            plan(FACT, b"(1 n=3\n2\n", "budget", status="budget", limit=9)

    def test_the_notation_of_others(self) -> None:
        ask, text = (PredictionRequest(program=FACT), Prediction(text=b"<|frame_sep|>", status="budget", codec="cwm"))
        branch = Branch(id=0, parent=None, edit=None, ask=ask, truth=None, found=text)
        with pytest.raises(UsageError, match="is in cwm"):
            plan_branch(branch, edit("edit", step=0, name="n", value="1"))
        assert plan_branch(branch, edit("budget", limit=1 << 17)).ask.given == b""


@pytest.mark.parametrize(
    "told", [{"kind": "edit", "step": 7, "name": "n", "value": "1"}, {"kind": "budget", "limit": 9}]
)
def test_json_and_back(told: dict[str, Any]) -> None:
    assert BranchEdit.of_json(told).as_json() == told


LAWS: list[tuple[str, dict[str, Any], str | None]] = [
    ("count", {"kind": "edit", "step": 1, "name": "l", "value": "'a'"}, "1"),
    ("count", {"kind": "edit", "step": 4, "name": "n", "value": "40"}, "42"),
    ("count", {"kind": "edit", "step": 5, "name": "w", "value": "None"}, "2"),
    ("count", {"kind": "edit", "step": 1, "name": "w", "value": "['r', 'r']"}, "2"),
    ("count", {"kind": "edit", "step": 5, "name": "n"}, None),
    ("count", {"kind": "line", "step": 3, "line": 5}, "0"),
    ("count", {"kind": "line", "step": 5, "line": 2}, "2"),
    ("count", {"kind": "line", "step": 3, "line": 3}, "2"),
    ("fact", {"kind": "edit", "step": 0, "name": "n", "value": "5"}, "120"),
    ("fact", {"kind": "edit", "step": 2, "name": "n", "value": "7"}, "14"),
    ("fact", {"kind": "edit", "step": 5, "name": "r", "value": "10"}, "60"),
    ("fact", {"kind": "line", "step": 9, "line": 3}, "3"),
    ("fact", {"kind": "line", "step": 4, "line": 5}, None),
    ("fact", {"kind": "line", "step": 2, "line": 2}, "6"),
    ("pull", {"kind": "edit", "step": 6, "name": "j", "value": "50"}, "2"),
    ("pull", {"kind": "edit", "step": 7, "name": "i", "value": "9"}, "2"),
    ("pull", {"kind": "edit", "step": 8, "name": "x", "value": "4"}, "2"),
    ("pull", {"kind": "line", "step": 7, "line": 10}, "0"),
    ("pull", {"kind": "line", "step": 10, "line": 4}, "2"),
    ("catch", {"kind": "edit", "step": 3, "name": "x", "value": "0"}, "1"),
    ("catch", {"kind": "edit", "step": 9, "name": "y", "value": "'t'"}, None),
    ("catch", {"kind": "line", "step": 4, "line": 4}, "3"),
    ("speak", {"kind": "edit", "step": 2, "name": "a", "value": "[]"}, None),
    ("speak", {"kind": "edit", "step": 3, "name": "b", "value": "(1,)"}, "(1,)"),
    ("speak", {"kind": "line", "step": 2, "line": 5}, None),
    ("speak", {"kind": "line", "step": 5, "line": 2}, "2"),
    ("share", {"kind": "edit", "step": 4, "name": "xs", "value": "[5, 6]"}, "([1, 2], 4)"),
    ("share", {"kind": "edit", "step": 2, "name": "k", "value": "-1"}, "([1, 2], 1)"),
    ("share", {"kind": "line", "step": 6, "line": 7}, "([1, 1, 2], 5)"),
    ("script", {"kind": "edit", "step": 2, "name": "y", "value": "0"}, "None"),
    ("script", {"kind": "line", "step": 2, "line": 5}, "None"),
]


@pytest.fixture(scope="module")
def sessions(sandbox: None) -> dict[str, Session]:
    return {name: true_session(of) for name, of in PROGRAMS.items()}


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("name", "told", "answer"), LAWS, ids=lambda part: str(part) if isinstance(part, str) else None
)
def test_the_interpreter_agrees_with_its_own_continuation(
    sessions: dict[str, Session], name: str, told: dict[str, Any], answer: str | None
) -> None:
    session = sessions[name]
    last = list(predict_branch(session, Interpreter(), BranchEdit.of_json(told)))[-1]
    branch, root = session.branch(last.branch), session.branch(0)
    assert (branch.status, branch.why) == ("done", "")
    assert branch.truth is not None
    plan = plan_branch(root, BranchEdit.of_json(told))
    assert plan.point is not None
    values = {plan.point.frame: plan.values} if plan.values else {}
    raw = continue_from(PredictionRequest(program=root.ask.program), Change(plan.point.step, values, plan.line))
    assert isinstance(raw, Prediction)
    assert branch.found.text == branch.truth.text == raw.text
    reading = read(branch.ask, branch.found)
    assert reading.malformed is None
    assert reading.ended
    assert branch.cause is not None
    assert branch.cause.name == "right"
    if answer is not None:
        assert reading.answer == ("return", answer)
    else:
        assert reading.answer is not None
        assert reading.answer[0] == "raise"


@pytest.mark.parametrize("name", PROGRAMS)
def test_to_change_nothing_changes_nothing(sessions: dict[str, Session], name: str) -> None:
    """An edit to the value that a name has, and a line that is next anyway."""
    session = sessions[name]
    text, reading = session.branch(0).found.text, read(session.branch(0).ask, session.branch(0).found)
    same = {"count": ("w", "'arr'"), "fact": ("n", "3"), "pull": ("n", "2"), "catch": ("x", "2"), "speak": ("a", "1")}
    if name in same:
        variable, value = same[name]
        assert branched(session, "edit", step=1, name=variable, value=value).found.text == text
    line = next(moment.line for moment in reading.events[2:] if moment.event == "line")
    assert branched(session, "line", step=1, line=line).found.text == text


@pytest.mark.parametrize(
    ("name", "fields", "why"),
    [
        ("count", {"kind": "line", "step": 1, "line": 4}, "can't jump into the body of a for loop"),
        ("fact", {"kind": "line", "step": 8, "line": 2}, "can only jump from a 'line' trace event"),
        ("pull", {"kind": "line", "step": 3, "line": 10}, "line 10 is no line of g"),
        ("count", {"kind": "edit", "step": 1, "name": "w", "value": "<function f>"}, "w"),
    ],
)
def test_the_reason_is_given_if_the_interpreter_cannot_continue(
    sessions: dict[str, Session], name: str, fields: dict[str, Any], why: str
) -> None:
    branch = branched(sessions[name], **fields)
    assert branch.truth is None
    assert why in branch.why
    assert branch.status == "failed"  # the predictor is the interpreter, and cannot either
    assert branch.note == branch.why


WRONG = b"(1 w='arr' l='r'\n2 n=0\n3 c='a'\n4\n3 c='r'\n4\n3\n4\n3\n5\n)0\n.\n"  # n is never counted up


@pytest.mark.usefixtures("sandbox")
class TestTheModelsState:
    """A model that went wrong in values only: the interpreter goes on from where the model believes to be."""

    def session(self, found: bytes = WRONG) -> Session:
        truth = next(iter(Interpreter().predict([PredictionRequest(program=COUNT)])))
        return recorded_session(COUNT, found, truth.text)

    def test_its_values_are_put_in(self) -> None:
        branch = branched(self.session(), "edit", step=6, name="l", value="'r'")
        assert branch.truth is not None
        assert branch.truth.text == WRONG[: WRONG.index(b"3\n4\n3\n5") + 2] + b"4 n=1\n3\n5\n)1\n.\n"
        assert branch.found.text == branch.truth.text

    def test_a_line_behind_them(self) -> None:
        branch = branched(self.session(), "line", step=5, line=5)
        assert branch.found.text.endswith(b"4\n5\n)0\n.\n")
        assert branch.why == ""

    def test_a_diverged_run_has_no_actual_continuation(self) -> None:
        found = WRONG.replace(b"3\n4\n3\n5", b"3\n5")
        branch = branched(self.session(found), "edit", step=7, name="n", value="5")
        assert branch.truth is None
        assert "diverges at step 7" in branch.why

    def test_a_call_that_the_model_forgot(self) -> None:
        truth = next(iter(Interpreter().predict([PredictionRequest(program=FACT)])))
        session = recorded_session(FACT, b"(1 n=3\n2\n4 r=2\n5\n)6\n.\n", truth.text)
        branch = branched(session, "edit", step=2, name="r", value="5")
        assert branch.truth is None
        assert "step 2 is not complete there" in branch.why

    def test_names_of_one_object_stay_so(self) -> None:
        of = Program(source="def f():\n    a = [1]\n    b = a\n    k = 0\n    a.append(k)\n    return b\n", call="f()")
        truth = next(iter(Interpreter().predict([PredictionRequest(program=of)]))).text
        session = recorded_session(of, truth.replace(b"=[1]", b"=[2]"), truth)
        branch = branched(session, "edit", step=3, name="k", value="5")
        assert branch.found.text.endswith(b"4 k=5\n5 a=[2, 5] b=[2, 5]\n6\n)[2, 5]\n.\n")

    @pytest.mark.parametrize(
        ("source", "call", "old", "new", "why"),
        [
            (
                "def f(xs):\n    k = 0\n    for x in xs:\n        k += x\n    return k\n",
                "f([1, 2])", b"xs=[1, 2]", b"xs=[1, 3]", "another xs, and line 3 has already read",
            ),
            (
                "def g(k):\n    k = k\n    return k\n\ndef f(n):\n    return n * g(2)\n",
                "f(3)", b"n=3", b"n=4", "another n, and line 6 has already read",
            ),
            (
                "def f():\n    a = [1]\n    b = [a]\n    k = 0\n    return a, b\n",
                "f()", b"[1]", b"[2]", "a and b share an object",
            ),
        ],
    )  # fmt: skip
    def test_values_in_use_or_shared_are_refused(
        self, source: str, call: str, old: bytes, new: bytes, why: str
    ) -> None:
        of = Program(source=source, call=call)
        truth = next(iter(Interpreter().predict([PredictionRequest(program=of)]))).text
        branch = branched(recorded_session(of, truth.replace(old, new), truth), "edit", step=3, name="k", value="7")
        assert branch.truth is None
        assert why in branch.why

    def test_correcting_the_model_leaves_the_interpreter_unchanged(self) -> None:
        source = "def f(xs):\n    k = 0\n    for x in xs:\n        xs[-1] += 1\n        k += x\n    return k\n"
        of = Program(source=source, call="f([1, 2])")
        truth = next(iter(Interpreter().predict([PredictionRequest(program=of)]))).text
        session = recorded_session(of, truth.replace(b"4 xs=[1, 3]", b"4 xs=[2, 2]"), truth)
        branch = branched(session, "edit", step=3, name="xs", value="[1, 3]")
        assert branch.found.text == truth

    def test_without_a_true_run(self) -> None:
        branch = branched(recorded_session(COUNT, WRONG), "edit", step=1, name="n", value="5")
        assert branch.truth is None
        assert branch.why == "not recorded"

    def test_changes_that_are_due_are_the_interpreters(self) -> None:
        truth = next(iter(Interpreter().predict([PredictionRequest(program=FACT)]))).text
        cut = truth[: truth.index(b" r=1\n")]
        session = recorded_session(FACT, cut, truth, status="budget")
        branch = branched(session, "line", step=9, line=3)
        assert branch.found.text == cut + b" r=1\n3\n)1\n r=1\n5\n)3\n.\n"


@pytest.mark.usefixtures("sandbox")
class TestBranchesOfBranches:
    def test_the_same_way_is_changed_once_for_all(self) -> None:
        session = true_session(COUNT)
        first = branched(session, "edit", step=1, name="n", value="10")
        second = branched(session, "edit", parent=first.id, step=5, name="n", value="20")
        third = branched(session, "line", parent=second.id, step=5, line=5)
        assert (second.parent, third.parent) == (1, 2)
        assert second.found.text.endswith(b"2 n=10\n3 c='a'\n4\n3 c='r'\n4 n=20\n3\n4 n=21\n3\n5\n)21\n.\n")
        assert third.found.text.endswith(b"4 n=20\n5\n)20\n.\n")
        assert third.truth is not None
        assert third.truth.text == third.found.text

    def test_an_edit_after_a_forced_line_is_refused(self) -> None:
        session = true_session(COUNT)
        first = branched(session, "line", step=3, line=5)
        second = branched(session, "edit", parent=first.id, step=4, name="n", value="5")
        assert second.truth is None
        assert second.why == "only the edit of branch 1 leads here, and an execution can be changed once"

    def test_a_rewritten_program_is_a_trunk_of_its_own(self) -> None:
        session = true_session(COUNT)
        flat = branched(session, "rewrite", how="flatten")
        assert flat.ask.program.source != COUNT.source
        assert (flat.at, flat.status, flat.note) == (0, "done", "")
        assert read(flat.ask, flat.found).answer == ("return", "2")
        branch = branched(session, "edit", parent=flat.id, step=1, name="n", value="5")
        assert branch.ask.program == flat.ask.program
        assert read(branch.ask, branch.found).answer == ("return", "7")

    def test_a_budget_behind_a_change(self) -> None:
        session = true_session(COUNT)
        first = branched(session, "edit", step=1, name="n", value="10")
        assert first.truth is not None
        cut = session.put(first, found=Prediction(text=first.found.text[:30], status="budget"))
        more = branched(session, "budget", parent=cut.id, limit=4000)
        assert more.found.text == first.found.text
        assert more.truth == first.truth
        assert more.at == 2


@pytest.mark.usefixtures("sandbox")
def test_a_script_has_frames_too() -> None:
    session = true_session(SCRIPT)
    assert branched(session, "edit", step=5, name="y", value="0").found.text.count(b"\n5 ") == 1
    assert branched(session, "edit", step=2, name="y", value="0").found.text.count(b"\n5 ") == 0
