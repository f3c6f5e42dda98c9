"""Record one test of a repository by its id, or say which ids are near."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import partial
from pathlib import Path

from worldline.core.errors import UsageError
from worldline.core.repository.recorded_test import RecordedTest
from worldline.recording.repository.budget import DEFAULT_BUDGET, TestBudget
from worldline.recording.repository.record import Say, record_tests

MAX_NEAREST = 5
_COLLECTING = ("--collect-only", "-q")


def split_target(target: str) -> tuple[str, str]:
    """Split `REPO::test_a.py::test_b` into the repository and the id of the test.

    Raises:
        UsageError: One of the two is missing.
    """
    repository, separator, test_id = target.partition("::")
    if not separator or not test_id:
        raise UsageError(f"{target}: pass REPO::TEST, such as .::test_a.py::test_b")
    return repository or ".", test_id


def record_test(
    target: str,
    *,
    venv: str | None = None,
    python: str | None = None,
    include: Sequence[str] = (),
    budget: TestBudget = DEFAULT_BUDGET,
    say: Say | None = None,
) -> RecordedTest:
    """Execute one test of a repository in the sandbox and record it.

    Args:
        target: The repository and the id of the test: `REPO::test_a.py::test_b`.
        venv: A virtual environment with everything that the test needs. By default one is made from the metadata.
        python: The interpreter that a new environment is made from.
        include: Packages outside the repository to step into.
        budget: What recording may use.
        say: Called with the progress.

    Returns:
        The test with its trace.

    Raises:
        UsageError: There is no such repository or test; the message names the nearest ids.
    """
    repository, test_id = split_target(target)
    file = test_id.partition("::")[0]
    # pytest then collects only this file.
    args = (file,) if (Path(repository) / file).is_file() else ()
    record = partial(
        record_tests, repository, venv=venv, python=python, include=include, budget=budget, check=False, say=say
    )
    recording = record(args=args, tests=[test_id])
    test = recording.find(test_id)
    if test is not None:
        return test
    known = record(args=_COLLECTING)
    nearest = nearest_ids(test_id, [other.id for other in known.tests()])
    names = "".join(f"\n  {name}" for name in nearest)
    hint = f"The nearest are:{names}" if nearest else "pytest collects no test here."
    raise UsageError(f"{repository} has no test {test_id}. {hint}")


def nearest_ids(test_id: str, known: list[str]) -> list[str]:
    """Return the ids that are most like an unknown one: by their names, and better if in the same file."""

    def likeness(other: str) -> float:
        wanted, name = (text.rpartition("::")[2].partition("[")[0] for text in (test_id, other))
        is_same_file = test_id.partition("::")[0] == other.partition("::")[0]
        return SequenceMatcher(None, wanted, name).ratio() + is_same_file / 2

    return sorted(known, key=likeness, reverse=True)[:MAX_NEAREST]
