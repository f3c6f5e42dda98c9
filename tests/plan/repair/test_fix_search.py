"""The search for a fix: the real box, the failing test first, nothing reported that was not run, budgets kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest
from plain_predictor import PlainPredictor

from worldline.cli import main
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.plan.repair.candidate import Defect, Proposer, RepairCandidate
from worldline.plan.repair.edits.proposer import EditProposer
from worldline.plan.repair.imagine import build_request, shared_text
from worldline.plan.repair.order import RankedCandidate, order_candidates, with_priors
from worldline.plan.repair.rows import checks_from_rows, read_checks
from worldline.plan.repair.search import RECORDING_LIMITS, Repair, RepairPlan, repair
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.recording.calls import CallBatch, CallEnd, Caller, caller
from worldline.recording.recorder import record

SOURCE = "def total(xs):\n    t = 0\n    for x in xs:\n        t -= x\n    return t  # the sum\n"
PROGRAM = Program(source=SOURCE, name="total.py")
ROWS = [[[[]], 0], [[[1, 2]], 3], [[[5]], 5], [[[2, 2, 2]], 6]]
RECORD = partial(record, limits=RECORDING_LIMITS)


@pytest.fixture(scope="module")
def runs() -> Iterator[Caller]:
    with caller() as made:
        yield made


class Counting:
    """The real box, with what was run in it."""

    def __init__(self, runs: Caller) -> None:
        self.runs, self.batches = runs, list[CallBatch]()

    def run(self, batch: CallBatch, /) -> list[CallEnd]:
        self.batches.append(batch)
        return self.runs.run(batch)


def found(
    runs: Caller | Counting, plan: RepairPlan | None = None, proposers: Sequence[Proposer] = (), **more: object
) -> Repair:
    tests = checks_from_rows(PROGRAM, ROWS, "total")
    return repair(
        PROGRAM, tests, runs, RECORD, proposers=proposers or [EditProposer()], plan=plan or RepairPlan(), **more
    )  # type: ignore[arg-type]


def test_a_fix_is_found_run_and_shown_as_a_patch(runs: Caller) -> None:
    counting = Counting(runs)
    done = found(counting, RepairPlan(patches=1))
    (fixed,) = done.patches
    assert "-        t -= x\n+        t += x\n" in fixed.patch
    assert fixed.source == SOURCE.replace("-=", "+=")
    assert done.spent.executions == sum(len(batch.calls) for batch in counting.batches) + 1  # and one recording
    assert done.spent.bytes == 0
    assert (done.tests, done.failing, done.first_failing) == (4, 3, "total([5])")
    tried = [batch for batch in counting.batches[1:] if batch.calls == ("total([5])",)]
    assert len(tried) == done.tried  # the failing test first, the others only behind it
    assert counting.batches[-1].source == fixed.source


def test_nothing_to_repair(runs: Caller) -> None:
    tests = checks_from_rows(PROGRAM, ROWS[:1], "total")
    done = repair(PROGRAM, tests, runs, RECORD, proposers=[EditProposer()], plan=RepairPlan())
    assert (done.failing, done.patches, done.spent.executions) == (0, (), 1)


def test_executions_are_bounded(runs: Caller) -> None:
    done = found(runs, RepairPlan(oracle="none", executions=8, patches=100))
    assert done.spent.executions == 8
    assert done.tried <= 4


def test_fewer_executions_than_the_tests_themselves_take_are_refused(runs: Caller) -> None:
    with pytest.raises(UsageError, match="4 tests and the recording of one take 5 executions, and 3 are allowed"):
        found(runs, RepairPlan(executions=3))


class Says:
    """Proposes two fixes, the larger first, and what is none."""

    name = "says"

    def propose(self, defect: Defect, /) -> Iterator[RepairCandidate]:
        for text in ("t = t + x + 0 * x", "t += x", "t *= x", "t -= x"):
            yield RepairCandidate(source=SOURCE.replace("t -= x", text), kind="proposed", lines=range(4, 5), by="says")


def test_the_smallest_of_those_that_pass_comes_first(runs: Caller) -> None:
    done = found(runs, proposers=[Says()])
    assert [each.source.split("\n")[3].strip() for each in done.patches] == ["t += x", "t = t + x + 0 * x"]
    assert done.candidates == 3  # the source itself is no candidate


class Imagines(PlainPredictor):
    """Takes every change for a fix or for none, as told."""

    name, codec = "imagines", "compact"

    def __init__(self, text: bytes) -> None:
        self.text, self.asks = text, list[PredictionRequest]()

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        self.asks += asks
        for ask in asks:
            yield Prediction(text=ask.given + self.text, status="ended", logprob=-0.01)


def test_prediction_orders_and_is_never_reported_as_passed(runs: Caller) -> None:
    model = Imagines(b")5\n.\n")
    wrong = [RepairCandidate(source=SOURCE.replace("t -= x", "t *= x"), kind="operator", lines=range(4, 5))]

    class Wrong:
        name = "wrong"

        def propose(self, defect: Defect, /) -> Iterator[RepairCandidate]:
            yield from wrong

    done = found(runs, RepairPlan(oracle="mixed"), [Wrong()], predictor=model)
    assert done.patches == ()
    assert done.imagined == 1
    assert done.spent.bytes == len(model.text)


def test_the_interpreter_as_the_model_imagines_perfectly(runs: Caller) -> None:
    plan = RepairPlan(oracle="imagined", patches=1, imagined=10_000)
    done = found(runs, plan, predictor=Interpreter())
    assert len(done.patches) == 1
    assert done.tried <= 5
    blind = found(runs, RepairPlan(oracle="none", patches=1))
    assert done.tried < blind.tried


def test_a_question_begins_with_the_recorded_run_up_to_the_change(runs: Caller) -> None:
    tests = checks_from_rows(PROGRAM, ROWS, "total")
    failed = record(tests.program(SOURCE, tests.checks[1]))
    change = RepairCandidate(source=SOURCE.replace("-=", "+="), kind="operator", lines=range(4, 5))
    ask = build_request(change, tests, tests.checks[1], failed)
    assert ask is not None
    assert ask.given == b"(1 xs=[1, 2]\n2 t=0\n3 x=1\n"
    (said,) = Interpreter().predict([ask])
    assert said.text.startswith(ask.given)
    inserted = RepairCandidate(source="\n" + SOURCE, kind="insert", lines=range(1, 2))
    assert shared_text(failed, inserted) == b""


def test_priors_share_a_kind_and_orders_are_permutations() -> None:
    made = list(EditProposer().propose(Defect(source=SOURCE, name="total.py")))
    ranked = with_priors(made, SOURCE)
    assert sum(each.prior for each in ranked) == pytest.approx(1)
    for oracle in ("none", "random", "prior", "imagined", "mixed"):
        assert {each.candidate.source for each in order_candidates(ranked, oracle)} == {each.source for each in made}
    sure = RankedCandidate(candidate=made[-1], prior=1e-9, imagined=1.0)
    assert order_candidates([*ranked, sure], "imagined")[0] == sure
    with pytest.raises(UsageError, match="the oracle must be one of"):
        RepairPlan(oracle="perfect")


def test_python_tests_run_next_to_the_program(tmp_path: Path, runs: Caller) -> None:
    tests = tmp_path / "test_total.py"
    tests.write_text("from total import total\n\ndef test_one():\n    assert total([1, 2]) == 3\n")
    checks = read_checks(PROGRAM, tests)
    done = repair(PROGRAM, checks, runs, RECORD, proposers=[EditProposer()], plan=RepairPlan(patches=1))
    assert len(done.patches) == 1
    assert "+        t += x" in done.patches[0].patch


def test_missing_import_of_the_tests_is_reported(tmp_path: Path, runs: Caller) -> None:
    tests = tmp_path / "test_total.py"
    tests.write_text("import nosuchmodule\nfrom total import total\n\ndef test_one():\n    assert total([1]) == 1\n")
    with pytest.raises(UsageError, match=r"test_total.py imports nosuchmodule, which is not available") as caught:
        repair(PROGRAM, read_checks(PROGRAM, tests), runs, RECORD, proposers=[EditProposer()], plan=RepairPlan())
    assert "\n" not in str(caught.value)


def test_a_test_without_an_end_costs_its_seconds_and_no_more(runs: Caller) -> None:
    source = "def down(n):\n    while n != 0:\n        n -= 2\n    return n\n"
    program = Program(source=source, name="down.py")
    tests = checks_from_rows(program, [[[4], 0], [[3], 0]], "down")
    plan = RepairPlan(patches=1, seconds=0.05)
    done = repair(program, tests, runs, RECORD, proposers=[EditProposer()], plan=plan)
    assert len(done.patches) == 1
    assert done.first_failing == "down(3)"


def test_no_patch_is_exit_code_1_and_no_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "total.py").write_text(SOURCE)
    (tmp_path / "total.json").write_text("[[[[1, 2]], 3]]")
    words = ["plan", "repair", str(tmp_path / "total.py"), "--tests", str(tmp_path / "total.json")]
    assert main([*words, "--executions", "2"]) == 1
    out, err = capsys.readouterr()
    assert "no patch found among 0 of" in out
    assert err == ""


def test_one_test_is_one_test_and_a_syntax_error_has_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "total.py").write_text("def total(xs):\n    return sum(xs)\n")
    (tmp_path / "broken.py").write_text("def total(xs)\n    return 1\n")
    (tmp_path / "total.json").write_text("[[[[1, 2]], 3]]")
    tests = ["--tests", str(tmp_path / "total.json")]
    assert main(["plan", "repair", str(tmp_path / "total.py"), *tests]) == 0
    assert "the 1 test of total.py passes: there is nothing to repair" in capsys.readouterr().out
    assert main(["plan", "repair", str(tmp_path / "broken.py"), *tests]) == 2
    assert "broken.py cannot be parsed as Python: expected ':' in line 1\n" in capsys.readouterr().err
