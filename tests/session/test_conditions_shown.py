"""What a step decides is told beside it, and a misjudged condition with the branch, in words."""

from __future__ import annotations

from worldline.analyze.flow.conditions import Condition
from worldline.core.program import Program
from worldline.diagnose.branch import OtherInput, WrongBranch
from worldline.diagnose.sample import Sample
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.ui.session.branches.as_json import branch_json
from worldline.ui.session.chunk import chunk
from worldline.ui.session.session import Session

SOURCE = "def f(n):\n    a = n + 1\n    if n % 2 == 0:\n        return 1\n    return a\n"
TRUE, SAID = b"(1 n=5\n2 a=6\n3\n5\n)6\n.\n", b"(1 n=5\n2 a=6\n3\n4\n)1\n.\n"


def session(found: bytes = SAID, wrong: WrongBranch | None = None) -> Session:
    ask = PredictionRequest(program=Program(source=SOURCE, call="f(5)"))
    sample = Sample(ask=ask, truth=Prediction(text=TRUE, status="ended"), found=Prediction(text=found, status="ended"))
    return Session.of_sample(sample, name="a", model="m", wrong=wrong)


def test_conditions_are_shown_for_both_runs() -> None:
    rows = chunk(session().run_diff(0), 0)["rows"]
    assert (rows[2]["left"]["decided"], rows[2]["right"]["decided"]) == (["n % 2 == 0: false"], ["n % 2 == 0: true"])
    assert all("decided" not in row["left"] for row in rows if row["left"] and row["row"] != 2)


def told(shown: Session) -> list[str] | None:
    root = shown.branches[0]
    said = branch_json(root, shown.run_diff(0), root, None).get("wrong")
    assert said is None or isinstance(said, list)
    return said


def test_a_misjudged_condition_is_described_with_the_branch() -> None:
    words = "line 3: `n % 2 == 0` is false (n is 5); the model continues as if it were true"
    assert told(session()) == [words]
    assert told(session(TRUE)) is None
    condition = Condition(2, 3, "n % 2 == 0", False)
    known = WrongBranch(condition=condition, values={"n": "5"}, first=True, nearest=OtherInput(call="f(4)"))
    assert told(session(wrong=known)) == [words, "for f(4) the model's branch is right"]
