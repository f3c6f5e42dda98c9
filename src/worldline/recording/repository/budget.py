"""What recording the tests of a repository may use."""

from __future__ import annotations

from dataclasses import dataclass

from worldline.core.limits import Limits


@dataclass(frozen=True, kw_only=True)
class TestBudget:
    """What recording may use: steps and seconds for each test, the rest for all tests of a repository together.

    Attributes:
        steps: Steps of one test, after which it continues unrecorded.
        seconds: Seconds of one test, after which it counts as hanging.
        total_seconds: Seconds of one run of all tests.
        value_bytes: Size of one value; a larger one is cut as a whole.
        wire_bytes: Recorded bytes of one test.
        spool_bytes: Recorded bytes of all tests of one process.
        memory: Memory of all processes together.
        processes: Processes and threads at once.
        disk: Size of the files that tests write.
    """

    __test__ = False

    steps: int = 20_000
    seconds: float = 60.0
    total_seconds: float = 1800.0
    value_bytes: int = 4096
    wire_bytes: int = 16 << 20
    spool_bytes: int = 512 << 20
    memory: int = 4 << 30
    processes: int = 256
    disk: int = 1 << 30

    @property
    def limits(self) -> Limits:
        """The limits that the trace of a test has."""
        return Limits(
            steps=self.steps,
            value_bytes=self.value_bytes,
            trace_bytes=self.wire_bytes,
            wall=self.seconds,
            memory=self.memory,
            processes=self.processes,
            disk=self.disk,
        )


DEFAULT_BUDGET = TestBudget()
