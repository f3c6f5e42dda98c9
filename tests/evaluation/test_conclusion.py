"""The sentences that open a report follow its counts, and claim no more than these support."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import pytest

from worldline.core.errors import UnreadableError
from worldline.core.program import Program
from worldline.diagnose.trials import InterventionTrial, Trials
from worldline.evaluation.conclusion import check_is_readable, conclude, weak_spots
from worldline.evaluation.score import Verdict
from worldline.evaluation.selection import FAILURES, Selection
from worldline.evaluation.suites.suite import Task
from worldline.evaluation.summary import Report, report

pytestmark = pytest.mark.unit


def verdicts(right: int, wrong: int, **values: object) -> list[Verdict]:
    """Judged samples of one kind, the right ones first."""
    task = Task(program=Program(source=""))
    base = Verdict(task, "right", "right", "int", 8, 8, 100, 0.5)
    failed = replace(base, answer="wrong", trace="wrong", cause="wrong value")
    chosen = [replace(base, **values)] * right  # type: ignore[arg-type]
    return chosen + [replace(failed, **values)] * wrong  # type: ignore[arg-type]


def summed(*groups: list[Verdict], model: str = "m") -> Report:
    return report([verdict for group in groups for verdict in group], suite="s", model=model)


def test_nothing_judged_says_so_and_concludes_nothing() -> None:
    sums = conclude(report([], suite="s", model="m", skipped=3, faults=2))
    assert "3 had no true answer, 2 tool faults" in sums.where
    assert "n = 0" in sums.certainty


def test_no_failure_is_not_called_proof() -> None:
    sums = conclude(summed(verdicts(12, 0)))
    assert sums.where == "No failure: all 12 answers and traces are right."
    assert "up to 24.2 % of such programs may still fail" in sums.certainty


def test_few_samples_name_no_weak_spot_even_if_one_type_fails_always() -> None:
    sums = conclude(summed(verdicts(8, 0), verdicts(0, 8, type="str")))
    assert "16 samples are too few to name a weak spot" in sums.where
    assert "str" not in sums.where
    assert "n = 16" in sums.certainty


def test_a_type_is_named_only_if_its_interval_is_separated_from_the_rest() -> None:
    apart = summed(verdicts(95, 5), verdicts(10, 30, type="str"))
    (spot, *_) = weak_spots(apart)
    assert (spot.name, spot.failed.some, spot.failed.n, spot.rest.some, spot.rest.n) == (
        "answers of type str", 30, 40, 5, 100,
    )  # fmt: skip
    assert spot.failed.interval[0] > spot.rest.interval[1]
    assert "most often in answers of type str (75.0 % of 40 fail, 5.0 % of the rest)" in conclude(apart).where
    close = summed(verdicts(85, 15), verdicts(30, 10, type="str"))
    assert weak_spots(close) == []
    assert "no type, length or operation stands out" in conclude(close).where


def test_long_traces_are_one_weak_spot_and_not_one_per_length() -> None:
    long = [verdicts(5, 15, steps=steps) for steps in (40, 100, 200)]
    sums = summed(verdicts(95, 5, steps=8), verdicts(95, 5, steps=30), *long)
    assert weak_spots(sums)[0].name == "traces of more than 32 steps"


def test_an_operation_is_compared_with_all_other_operations() -> None:
    fine = verdicts(60, 0, executed={"arithmetic": 50, "join": 1})
    bad = verdicts(0, 20, executed={"arithmetic": 5, "join": 1}, operation="join")
    names = [spot.name for spot in weak_spots(summed(fine, bad))]
    assert names == ["the operation join"]


def test_chance_alone_rarely_names_a_weak_spot() -> None:
    """Of 200 drawn reports without any weak spot, at most 5 % name one: Holm's correction counts every spot."""
    rng, named = Random(30), 0
    for _ in range(200):
        groups = []
        for type_name in ("int", "str", "list", "dict", "bool", "tuple"):
            for steps in (8, 16, 32, 64):
                wrong = sum(rng.random() < 0.25 for _ in range(8))
                groups.append(verdicts(8 - wrong, wrong, type=type_name, steps=steps))
        named += bool(weak_spots(summed(*groups)))
    assert named <= 10


def test_the_commonest_cause_is_named_only_if_it_is_separated_from_the_next() -> None:
    clear = summed(verdicts(50, 30), verdicts(0, 4, cause="wrong action"))
    assert "commonest cause is `wrong value`, 30 of 34 failures" in conclude(clear).why
    few = summed(verdicts(50, 6), verdicts(0, 5, cause="wrong action"))
    assert "`wrong value` (6) and `wrong action` (5) of 11 failures, too few" in conclude(few).why
    close = summed(verdicts(50, 16), verdicts(0, 14, cause="wrong action"))
    assert "`wrong value` (16) and `wrong action` (14) of 30 failures, too close" in conclude(close).why


def test_faults_of_a_benchmark_are_not_the_models() -> None:
    artefacts = verdicts(30, 0, cause="benchmark wrong")
    assert "wrong value" in conclude(summed(artefacts, verdicts(20, 6))).why


def trials(recovered: int, regressed: int, *, intervention: str = "flatten") -> Trials:
    """Twenty failures of 100 and twenty passing samples of 400, all of one cause."""
    after = [*(i < recovered for i in range(20)), *(i >= regressed for i in range(20))]
    tried = [
        InterventionTrial(intervention=intervention, sample=i, before=i >= 20, after=is_right)
        for i, is_right in enumerate(after)
    ]
    return Trials(
        model="m", by="answer", seed=0, failed=tuple(range(20)), causes=("wrong value",) * 20,
        chosen=tuple(range(20, 40)), passing=400, unjudged=0, interventions=(intervention,), tried=tuple(tried),
        failing=100,
    )  # fmt: skip


def test_the_fix_is_untested_until_interventions_were_tried() -> None:
    sums = conclude(summed(verdicts(400, 100)))
    assert sums.fix.startswith("Untested: run `worldline intervene RUN`; `repair`, `flatten`, `chars`")
    assert "causes are hypotheses until interventions test them" in sums.certainty


def test_a_fix_is_claimed_only_if_its_interval_on_the_whole_run_is_above_zero() -> None:
    counts = summed(verdicts(400, 100))
    few = conclude(counts, trials(20, 0))
    # No passing sample of 20 broke: of 400, as many as 66 still might.
    assert "`flatten` (expressions decomposed, one operation per line) helps: 20 of 20 failures fixed" in few.fix
    assert "interventions confirm the cause of 20 of 20 tried failures" in few.certainty
    unsure = conclude(counts, trials(6, 1))
    assert "`flatten` may help, which this sample cannot decide" in unsure.fix
    none = conclude(counts, trials(2, 9))
    assert "Nothing that was tried helps" in none.fix


def test_an_intervention_that_gives_the_truth_is_no_fix() -> None:
    sums = conclude(summed(verdicts(400, 100)), trials(20, 0, intervention="repair"))
    assert "No change of the prompt is known to help; with the true state given" in sums.fix


def test_a_selected_file_gets_no_rate_in_any_sentence() -> None:
    selection = Selection(FAILURES, 34, 0, 34, 800)
    sums = conclude(summed(verdicts(0, 30), verdicts(0, 4, type="str")), selection=selection)
    assert "cannot be determined from this file" in sums.where
    assert "34 of the suite's 800 tasks" in sums.certainty
    assert "between 0.0 and 95.8 %" in sums.certainty
    assert "wrong value" in sums.why


def prose(n: int, form: str = "prose") -> list[Verdict]:
    return verdicts(0, n, answer="malformed", trace="malformed", cause="malformed", form=form)


@pytest.mark.parametrize(
    ("way", "wanted", "unwanted"),
    [
        ("chat", "way=fewshot-chat", "way=chat"),
        ("fewshotchat", "way=chat", "way=fewshot-chat"),
        ("text", "way=chat", "way=text"),
    ],
)
def test_outputs_in_prose_get_the_ways_of_asking_that_were_not_tried(way: str, wanted: str, unwanted: str) -> None:
    counts = replace(summed(prose(6), model="server:http://localhost/v1#m"), way=way)
    sums = conclude(counts)
    assert sums.where == "6 of 6 outputs hold no step of a trace: they are prose (6)."
    assert f"`-M {wanted}`" in sums.fix
    assert f"`-M {unwanted}`" not in sums.fix
    with pytest.raises(UnreadableError, match="way="):
        check_is_readable(counts)


def test_a_checkpoint_that_has_learned_too_little_is_no_error() -> None:
    counts = summed(prose(6), model="pantry")
    check_is_readable(counts)
    assert conclude(counts).fix.startswith("Train it longer")


def test_a_few_unreadable_outputs_are_a_finding_of_the_model_and_no_error() -> None:
    counts = summed(verdicts(30, 0), prose(5))
    check_is_readable(counts)
    assert "hold no step" not in conclude(counts).where
    check_is_readable(summed(prose(4)))  # too few to tell


def test_the_json_of_a_report_has_the_conclusion_first_and_no_rate_of_a_selection() -> None:
    counts = summed(verdicts(1, 30, executed={"join": 1}, operation="join"))
    fair = counts.as_json()
    assert next(iter(fair)) == "conclusion"
    assert fair["answer"]["rate"] == pytest.approx(1 / 31)
    assert "operations" in fair
    selected = replace(counts, selection=Selection(FAILURES, 31, 1, 31)).as_json()
    assert selected["answer"] | {"rate": None, "interval": None} == selected["answer"]
    assert (selected["answer"]["right"], selected["by_type"]["int"]["rate"]) == (1, None)
    assert selected["by_length"]["1-8"]["trace"]["interval"] is None
    assert "operations" not in selected
    assert selected["causes"]["wrong value"]["n"] == 30
    assert selected["selection"]["kind"] == FAILURES
    json.dumps(selected)
