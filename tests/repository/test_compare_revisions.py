"""A bug fix of a small git repository, recorded on both revisions: in the terminal, as JSON and on the page."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

import pytest
from rich.console import Console
from test_revision_files import commit, files_and_times, git

import worldline
from worldline.core.errors import UsageError
from worldline.data.repository.dataset import read_tests, verify
from worldline.evaluation.revisions import RevisionComparison, compare_revisions
from worldline.ui.report.revisions_page import page
from worldline.ui.terminal.repository.revisions import print_revisions
from worldline.ui.web.start import revision_sessions

pytestmark = pytest.mark.usefixtures("sandbox")

STATS = """\
import time


def mean(xs):
    total = 0
    for x in xs:
        total += x
    return total / len(xs)


def spread(xs):
    return max(xs) - min(xs)


def stamp():
    return time.perf_counter_ns()
"""
FIXED = STATS.replace("    total = 0\n", "    if not xs:\n        return 0\n    total = 0\n")
TESTS = """\
import pytest
from stats import mean, spread, stamp


@pytest.mark.parametrize("n", [1, 3])
def test_mean(n):
    assert mean([n, n]) == n


def test_spread():
    assert spread([1, 4]) == 3


def test_clock():
    first = stamp()
    assert mean([first]) > 0
"""
NEW_TEST = TESTS + "\n\ndef test_empty():\n    assert mean([]) == 0\n"


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("work") / "stats <b>"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    commit(
        folder,
        {
            "stats.py": STATS,
            "tests/test_stats.py": TESTS,
            "tests/conftest.py": "",
            "pytest.ini": "[pytest]\npythonpath=.\n",
        },
    )
    commit(folder, {"stats.py": FIXED, "tests/test_stats.py": NEW_TEST}, "fix the mean of nothing")
    return folder


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stored")


@pytest.fixture(scope="module")
def comparison(repository: Path, stored: Path) -> RevisionComparison:
    before = files_and_times(repository)
    compared = compare_revisions(repository, "HEAD~1", venv=sys.prefix, out=str(stored))
    assert files_and_times(repository) == before
    return compared


def test_the_fixed_test_comes_first(comparison: RevisionComparison) -> None:
    assert [test.test.id for test in comparison.fixed] == ["tests/test_stats.py::test_empty"]
    assert comparison.broken == ()
    first = comparison.tests[0]
    assert first.test.outcomes == ("failed", "passed")
    assert "ZeroDivisionError" in (first.test.before.message if first.test.before else "")
    assert {test.test.reason for test in comparison.tests[1:]} == {"function", "test"}
    reasons = {test.test.id.rpartition("::")[2]: test.test.reason for test in comparison.tests}
    assert reasons["test_mean[3]"] == "function"
    assert reasons["test_spread"] == "test"


def test_the_first_diverging_step_is_the_added_check(comparison: RevisionComparison) -> None:
    diff = comparison.fixed[0].diff
    assert diff is not None
    assert diff.first is not None
    assert (diff.first.kind, diff.first.location) == ("line", "changed line")
    assert diff.first.after is not None
    assert (diff.first.after.file, diff.first.after.function, diff.first.after.line) == ("stats.py", "mean", 5)
    assert (diff.first.was, diff.first.now) == ("line 5", "line 6")
    assert diff.steps_after_change == 0
    ends = {call.function: (call.was[0], call.now) for call in diff.calls}
    assert ends["stats.py:mean"] == ("raise", ("return", "0"))


def test_only_the_fixed_test_behaves_differently(comparison: RevisionComparison) -> None:
    # `test_clock` has another time in every execution, which is no consequence of the change.
    assert [test.test.id for test in comparison.diverging] == ["tests/test_stats.py::test_empty"]


def test_the_affected_tests_of_both_revisions_are_stored(comparison: RevisionComparison, stored: Path) -> None:
    rows = list(read_tests(str(stored)))
    affected = sorted(test.test.id for test in comparison.tests)
    sides = sorted({row.instance_id for row in rows}, key=lambda name: name == comparison.instance.id)
    assert len(sides) == 2
    assert sides[1] == comparison.instance.id
    for side in sides:
        assert sorted(row.test_id for row in rows if row.instance_id == side) == affected
    outcomes = [row.outcome for row in rows if row.test_id.endswith("test_empty")]
    assert outcomes == ["failed", "passed"]
    assert verify(str(stored)) == []
    report = json.loads((stored / "report.json").read_text("utf-8"))
    assert report["fixed"] == ["tests/test_stats.py::test_empty"]


def test_the_terminal_shows_both_sides(comparison: RevisionComparison) -> None:
    out = io.StringIO()
    print_revisions(Console(file=out, width=140, highlight=False), comparison, rows=0)
    text = out.getvalue()
    assert "1 fixed, 0 broken" in text
    assert "failed before, passed after" in text
    assert re.search(r"▶ .*│ .* 5\+ if not xs:", text)
    assert "goes to line 5 before, goes to line 6 after" in text
    assert "mean(xs=[]) raises ZeroDivisionError('division by zero') before, returns 0 after" in text
    assert "other affected tests with the same behaviour" in text


def test_json_has_the_first_divergence(comparison: RevisionComparison) -> None:
    data = json.loads(json.dumps(comparison.as_json()))
    assert data["fixed"] == ["tests/test_stats.py::test_empty"]
    assert data["changed_lines"]["stats.py"] == {"before": [], "after": [5, 6]}
    first = data["affected"][0]["diff"]["first"]
    assert (first["kind"], first["after"]["line"], first["location"]) == ("line", 5, "changed line")
    assert data["affected"][0]["outcome"] == {"before": "failed", "after": "passed"}


def test_the_page_escapes_and_marks_the_first_divergence(comparison: RevisionComparison) -> None:
    text = page(comparison)
    assert "stats &lt;b&gt;" in text
    assert "<b>" not in text
    assert text.count('<tr class="first">') == 1
    assert "script" not in text


def test_both_traces_are_sessions_that_start_at_the_divergence(comparison: RevisionComparison) -> None:
    before, after = revision_sessions(comparison)
    assert (before.name, after.name) == (
        "before: tests/test_stats.py::test_empty",
        "after: tests/test_stats.py::test_empty",
    )
    run, at = after.run_diff().right, after.branches[0].at
    assert run.stack(at)[-1].function == "mean"
    assert run.line(run.events[at].frame, at) == 5
    assert run.over(at) is not None
    assert run.back_out(at) is not None
    left = before.run_diff().right
    assert "ZeroDivisionError" in str([event.arg for event in left.events if event.event == "raise"])


def test_a_change_that_breaks_a_test_is_found_in_the_working_tree(repository: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(repository), str(clone))
    (clone / "stats.py").write_text(FIXED.replace("max(xs) - min(xs)", "max(xs) + min(xs)"))
    compared = worldline.compare_revisions(clone, "HEAD", venv=sys.prefix, args=["-k", "spread or empty"])
    assert [test.test.id for test in compared.broken] == ["tests/test_stats.py::test_spread"]
    diff = compared.broken[0].diff
    assert diff is not None
    assert diff.first is not None
    assert (diff.first.kind, diff.first.was, diff.first.now) == ("result", "3", "5")
    assert diff.first.is_in_changed_lines
    assert len(compared.tests) == 1


def test_a_repository_without_a_change_is_refused(repository: Path) -> None:
    with pytest.raises(UsageError, match="has not changed since HEAD"):
        compare_revisions(repository, "HEAD", venv=sys.prefix)
