"""Edits of programs that are not Python: what continues, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from language_sessions import ALL, LIST_C, MIXED_JS, HandWritten
from plain_predictor import PlainPredictor

from worldline.core.errors import UsageError
from worldline.diagnose.sample import Sample
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.ui.session.branches.branch import Branch, BranchEdit
from worldline.ui.session.branches.plan import plan_branch
from worldline.ui.session.rollout import predict_branch
from worldline.ui.session.session import Session


class GoesOn(PlainPredictor):
    """Whatever is given, it is the end of it."""

    name = "goes on"

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for ask in asks:
            yield Prediction(text=ask.given + b"19\n)0\n.\n", status="ended")


def session(one: HandWritten) -> Session:
    """A program's two runs."""
    truth, found = (Prediction(text=text, status="ended") for text in (one.steps, one.found))
    return Session.of_sample(Sample(ask=one.ask, truth=truth, found=found), name=one.program.name, model="by hand")


def branched(found: Session, edit: BranchEdit) -> Branch:
    """A branch when it is done."""
    for _ in predict_branch(found, GoesOn(), edit):
        pass
    return found.branches[-1]


def test_a_changed_variable_is_predicted_without_an_actual_run() -> None:
    branch = branched(session(LIST_C), BranchEdit(kind="edit", step=5, name="sum", value="7"))
    assert branch.truth is None
    assert branch.why == "list.c is C, and only Python programs can be changed while they execute"
    assert b"sum=7" in branch.found.text


def test_names_of_javascript_can_be_changed() -> None:
    plan = plan_branch(session(MIXED_JS).branch(0), BranchEdit(kind="edit", step=3, name="$x", value="7"))
    assert b"'$x'=7" in plan.ask.given
    with pytest.raises(UsageError, match="is not a valid name"):
        plan_branch(session(MIXED_JS).branch(0), BranchEdit(kind="edit", step=3, name="a.b", value="7"))


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.program.name)
def test_only_python_is_rewritten(one: HandWritten) -> None:
    with pytest.raises(UsageError, match="`flatten` does not rewrite this program"):
        plan_branch(session(one).branch(0), BranchEdit(kind="rewrite", how="flatten"))
