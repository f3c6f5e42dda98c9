"""The minutes of `learn --on` are those of the whole command."""

from __future__ import annotations

import pytest

from worldline.cli import main
from worldline.core.errors import UsageError
from worldline.learning import time_budget
from worldline.learning.time_budget import SAFETY, SMALLEST_MINUTES, TimeBudget

pytestmark = pytest.mark.unit


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(time_budget, "time", clock)
    return clock


def test_training_gets_what_the_second_evaluation_leaves(clock: Clock) -> None:
    budget = TimeBudget(5.0)
    clock.now += 100
    assert budget.training_minutes(40) == pytest.approx((300 - 100 - SAFETY * 40) / 60)


def test_too_little_time_is_answered_by_the_smallest_that_works(clock: Clock) -> None:
    budget = TimeBudget(2.0)
    clock.now += 80
    with pytest.raises(UsageError, match=r"--minutes 2 is too short: .*; pass --minutes 2\.3 or more"):
        budget.training_minutes(40)
    other = TimeBudget(2.3)
    clock.now += 80
    assert other.training_minutes(40) > 0


def test_shares_are_those_of_the_whole_time(clock: Clock) -> None:
    reports: list[tuple[float, str]] = []
    budget = TimeBudget(1.0, lambda share, text: reports.append((share, text)))
    clock.now += 15
    budget.report("training", 0.9)
    assert budget.has_passed(0.25)
    assert not budget.has_passed(0.26)
    assert budget.has_passed(0.5, after=15)
    clock.now += 600
    budget.report("evaluating")
    assert reports == [(0.25, "training"), (0.99, "evaluating")]


def test_each_file_that_is_searched_moves_the_share(clock: Clock) -> None:
    """The first report comes before any file, so that a command shows what it does from its first second."""
    reports: list[tuple[float, str]] = []
    budget = TimeBudget(1.0, lambda share, text: reports.append((share, text)))
    assert not budget.finding_is_late()
    clock.now += 12
    assert not budget.finding_is_late()
    clock.now += 3
    assert budget.finding_is_late()
    assert reports == [(share, "finding and recording calls") for share in (0.0, 0.2, 0.25)]


def test_without_minutes_nothing_is_bounded(clock: Clock) -> None:
    reports: list[float] = []
    budget = TimeBudget(None, lambda share, text: reports.append(share))
    clock.now += 1e9
    budget.report("training", 0.5)
    assert (reports, budget.has_passed(0.01)) == ([0.5], False)


def test_a_budget_below_the_smallest_is_refused_at_once(tmp_path: object, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is read: not even the folder exists."""
    assert main(["learn", "--on", "/no/such/folder", "-o", f"{tmp_path}/out", "--minutes", "0.7"]) == 2
    printed = capsys.readouterr().err
    assert printed.startswith("error[usage]: --minutes 0.7 is too short: it covers finding calls, two evaluations")
    assert printed.endswith(f"pass --minutes {SMALLEST_MINUTES:g} or more\n")
