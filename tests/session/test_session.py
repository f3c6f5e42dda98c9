"""A session tells what it holds: runs, run diffs, and a description that is valid JSON whatever the texts say."""

from __future__ import annotations

import json

import pytest
from branch_programs import COUNT, FACT, recorded_session

from worldline.codec.compact.prompt import Compact
from worldline.codec.reading import Reading
from worldline.codec.tokens import Bytes
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.diagnose import diagnosis, reconcile
from worldline.diagnose.reading import read
from worldline.diagnose.sample import Sample
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.ui.session import run
from worldline.ui.session.branches.branch import Branch
from worldline.ui.session.session import OtherPrediction, Session

pytestmark = pytest.mark.unit

TRUTH = b"(1 w='arr' l='r'\n2 n=0\n3 c='a'\n4\n3 c='r'\n4 n=1\n3\n4 n=2\n3\n5\n)2\n.\n"
FOUND = b"(1 w='arr' l='r'\n2 n=0\n3 c='a'\n4\n3 c='r'\n4\n3\n4\n3\n5\n)0\n.\n"


def test_a_sample_is_a_session() -> None:
    session = recorded_session(COUNT, FOUND, TRUTH)
    (root,) = session.branches
    assert (root.id, root.parent, root.status, root.at) == (0, None, "done", 0)
    assert root.cause is not None
    assert root.cause.name == "missed change"
    run_diff = session.run_diff()
    assert len(run_diff.rows) == 11
    assert run_diff.first == 5
    assert run_diff is session.run_diff(0, "truth", "found")


def test_each_text_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[bytes]()

    def counted(ask: PredictionRequest, prediction: Prediction) -> Reading:
        asked.append(prediction.text)
        return read(ask, prediction)

    for room in (diagnosis, reconcile, run):
        monkeypatch.setattr(room, "read", counted)
    session = recorded_session(COUNT, FOUND, TRUTH)
    session.describe()
    assert asked == [TRUTH, FOUND]
    second = Prediction(text=TRUTH[:40], status="budget")
    beside = session.with_other(OtherPrediction(second, PredictionRequest(program=COUNT), "another"))
    assert beside.run_names == ("truth", "found", "other")
    for names in (("truth", "other"), ("other", "found"), ("truth", "found")):
        assert beside.run_diff(0, *names).rows
    assert asked == [TRUTH, FOUND, TRUTH[:40]]


def test_it_describes_itself() -> None:
    told = recorded_session(COUNT, FOUND, TRUTH).describe()
    json.loads(json.dumps(told, ensure_ascii=False, allow_nan=False).encode())
    syntax = told["program"].pop("syntax")
    assert len(syntax) == len(COUNT.source.split("\n"))
    assert told["program"] == {
        "runnable": [2, 3, 4, 5],
        "name": "tried.py", "source": COUNT.source, "call": COUNT.call, "argv": [], "stdin": "",
        "language": "python", "natives": {"words": {}, "kinds": {}, "objects": {}}, "unavailable": {},
    }  # fmt: skip
    assert (told["name"], told["model"], told["other_model"], told["codec"]) == ("told", "somebody", None, "compact")
    assert told["sides"] == ["truth", "found"]
    (branch,) = told["branches"]
    assert set(branch) == {
        "id", "parent", "intervention", "status", "note", "why", "at", "program", "rows", "first", "answer", "cause",
        "cost", "belief",
    }  # fmt: skip
    assert branch["answer"] == {"truth": ["return", "2"], "found": ["return", "0"], "right": False, "outcome": "wrong"}
    assert branch["cause"]["name"] == "missed change"
    assert branch["cost"] == {
        "prompt_bytes": len(PredictionRequest(program=COUNT).prompt), "truth_bytes": len(TRUTH),
        "found_bytes": len(FOUND),
        "tokenizer": None, "prompt_tokens": None, "truth_tokens": None, "found_tokens": None,
        "limit": 1 << 16, "status": "ended",
    }  # fmt: skip
    assert (branch["rows"], branch["first"], branch["belief"], branch["program"]) == (11, 5, None, None)


def test_without_a_recording_nothing_differs() -> None:
    session = recorded_session(COUNT, FOUND)
    told = session.describe()["branches"][0]
    assert (told["rows"], told["first"], told["cause"]) == (11, None, None)
    assert told["why"] == "not recorded"
    assert told["answer"] == {"truth": None, "found": ["return", "0"], "right": None, "outcome": None}
    assert told["cost"]["truth_bytes"] is None
    assert all(row.left is None and row.action == row.state == "right" for row in session.run_diff().rows)
    with pytest.raises(UsageError, match="has no actual run"):
        session.run_diff(0, "found", "truth")


def test_a_prediction_that_never_came() -> None:
    fault = Prediction(text=b"", status="fault", note="no answer")
    sample = Sample(ask=PredictionRequest(program=COUNT), truth=Prediction(text=TRUTH, status="ended"), found=fault)
    session = Session.of_sample(sample, name="told", model="somebody")
    told = session.describe()["branches"][0]
    assert (told["status"], told["note"], told["cause"]) == ("failed", "no answer", None)
    assert told["answer"]["right"] is False


def test_a_second_model_stands_beside_the_root_alone() -> None:
    sample = Sample(
        ask=PredictionRequest(program=COUNT),
        truth=Prediction(text=TRUTH, status="ended"),
        found=Prediction(text=FOUND, status="ended"),
    )
    other_ask = PredictionRequest(program=COUNT, options=Compact(bare=True))
    session = Session.of_sample(sample, name="told", model="one", tokenizer=Bytes()).with_other(
        OtherPrediction(Prediction(text=TRUTH, status="ended"), other_ask, "two")
    )
    assert session.describe()["sides"] == ["truth", "found", "other"]
    assert session.describe()["other_model"] == "two"
    cost = session.describe()["branches"][0]["cost"]
    assert (cost["tokenizer"], cost["truth_tokens"], cost["found_tokens"]) == ("bytes", len(TRUTH), len(FOUND))
    assert cost["prompt_tokens"] == cost["prompt_bytes"]
    assert session.run_diff(0, "truth", "other").first is None
    assert session.run_diff(0, "other", "found").first == 5
    with pytest.raises(UsageError, match="no run"):
        recorded_session(COUNT, FOUND, TRUTH).run_diff(0, "truth", "other")


def test_two_notations_do_not_compare() -> None:
    sample = Sample(
        ask=PredictionRequest(program=COUNT),
        truth=Prediction(text=TRUTH, status="ended"),
        found=Prediction(text=FOUND, status="ended"),
    )
    other = Prediction(text=b"", status="ended", codec="cwm")
    session = Session.of_sample(sample, name="told", model="one").with_other(OtherPrediction(other, sample.ask, "two"))
    with pytest.raises(UsageError, match="different notations"):
        session.run_diff(0, "found", "other")


def test_a_run_diff_is_cached_until_a_text_changes() -> None:
    session = recorded_session(COUNT, FOUND[:40], TRUTH, status="budget")
    before, root = session.run_diff(), session.branch(0)
    session.put(root, note="something else")
    assert session.run_diff() is before
    session.put(root, found=Prediction(text=FOUND, status="ended"))
    assert session.run_diff() is not before
    assert len(session.run_diff().right) == 11
    assert len(before.right) < 11


def test_lone_surrogates_and_odd_bytes_become_valid_utf_8() -> None:
    odd = Program(source="x = '\udce4'\n", call="f('\udc80')", argv=("\udfff",), name="\ud800.py")
    session = recorded_session(odd, b"(1 \xff\x1b[31m=\n", None, status="budget")
    told = session.describe()
    json.dumps(told, ensure_ascii=False).encode()
    assert told["program"]["source"] == "x = '\\udce4'\n"


def test_branches_are_found_by_number() -> None:
    session = recorded_session(COUNT, FOUND, TRUTH)
    for number in (-1, 1):
        with pytest.raises(UsageError, match=f"no branch {number}"):
            session.branch(number)
    assert [branch.id for branch in session.lineage(0)] == [0]


def test_a_branch_is_in_one_of_four_states() -> None:
    nothing = Prediction(text=b"", status="empty")
    with pytest.raises(UsageError, match="running, done, failed, stopped"):
        Branch(
            id=0, parent=None, edit=None, ask=PredictionRequest(program=FACT), truth=None, found=nothing, status="lost"
        )
