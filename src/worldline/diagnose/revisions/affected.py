"""Which tests a change affects, from the recordings of both revisions. One trace is in memory at a time.

A test is affected if a function with a changed line was executed in it on either side, if code outside functions
changed in a file that it executed, if the test file itself changed, or if it ends differently.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from itertools import chain

from worldline.core.repository.recorded_test import FAILING_OUTCOMES, RecordedTest
from worldline.core.repository.source_change import SourceChange
from worldline.diagnose.revisions.source_map import SourceMap

#: Why a test is affected, the strongest reason first. `all`: nothing that it executes changed, as far as is known.
REASONS = ("outcome", "function", "module", "test", "all")


@dataclass(frozen=True, kw_only=True)
class TestDigest:
    """What is remembered of a recorded test.

    Attributes:
        id: pytest's node id.
        outcome: How it ended with the recorder.
        message: Why it failed.
        steps: The number of its steps.
        touched: The functions with a changed line that it executed, as `path:name`.
        is_near: Whether it executed a file whose code outside functions changed.
    """

    __test__ = False

    id: str
    outcome: str
    message: str = ""
    steps: int = 0
    touched: tuple[str, ...] = ()
    is_near: bool = False


@dataclass(frozen=True, kw_only=True)
class AffectedTest:
    """A test that a change affects. A side is None if the test does not exist there."""

    id: str
    reason: str
    before: TestDigest | None
    after: TestDigest | None
    touched: tuple[str, ...] = field(default=())

    @property
    def outcomes(self) -> tuple[str, str]:
        """Its outcome before and after; `missing` where it does not exist."""
        before, after = self.before, self.after
        return before.outcome if before else "missing", after.outcome if after else "missing"

    @property
    def is_fixed(self) -> bool:
        """Whether it failed before the change and passes after it."""
        return self.outcomes[0] in FAILING_OUTCOMES and self.outcomes[1] == "passed"

    @property
    def is_broken(self) -> bool:
        """Whether it passed before the change and fails after it."""
        return self.outcomes[0] == "passed" and self.outcomes[1] in FAILING_OUTCOMES


def digest_test(test: RecordedTest, sources: SourceMap, *, is_before: bool) -> TestDigest:
    """Summarise a recorded test, so that its trace can be dropped."""
    touched: dict[str, None] = {}
    is_near = False
    for frame in test.trace.frames if test.trace is not None else ():
        key = sources.key(frame.file, frame.name, is_before=is_before)
        is_near = is_near or key[0] in sources.touched_files
        if sources.is_touched(key):
            touched[":".join(key)] = None
    return TestDigest(
        id=test.id,
        outcome=test.outcome,
        message=test.message,
        steps=0 if test.trace is None else len(test.trace),
        touched=tuple(touched),
        is_near=is_near,
    )


def affected_tests(
    before: Iterable[RecordedTest],
    after: Iterable[RecordedTest],
    change: SourceChange,
    sources: SourceMap,
    *,
    is_every_test: bool = False,
) -> tuple[AffectedTest, ...]:
    """Find the tests that a change affects.

    Args:
        before: The recorded tests of the revision before the change. They are read once, one at a time.
        after: Those after the change.
        change: The change; changed test files count if it lists them.
        sources: The places of the change in both revisions.
        is_every_test: Also return the tests that no change affects.

    Returns:
        The affected tests: those that end differently first, then in the order of the tests after the change.
    """
    digests = {test.id: digest_test(test, sources, is_before=True) for test in before}
    current = {test.id: digest_test(test, sources, is_before=False) for test in after}
    affected = list[AffectedTest]()
    for name in dict.fromkeys(chain(current, digests)):
        sides = digests.get(name), current.get(name)
        touched = tuple(dict.fromkeys(chain.from_iterable(side.touched for side in sides if side is not None)))
        reason = _reason(name, *sides, bool(touched), change.paths)
        reason = reason or ("all" if is_every_test else None)
        if reason is not None:
            affected.append(AffectedTest(id=name, reason=reason, before=sides[0], after=sides[1], touched=touched))
    return tuple(sorted(affected, key=lambda test: REASONS.index(test.reason) > 0))


def _reason(
    name: str, before: TestDigest | None, after: TestDigest | None, is_touched: bool, paths: Collection[str]
) -> str | None:
    if before is None or after is None or before.outcome != after.outcome:
        return "outcome"
    if is_touched:
        return "function"
    if before.is_near or after.is_near:
        return "module"
    return "test" if name.partition("::")[0] in paths else None
