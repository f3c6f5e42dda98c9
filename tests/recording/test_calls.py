"""Many calls in one boxed process: what each comes to, and that none of them reaches another, or out of the box."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.recording.calls import CallBatch, CallEnd, Caller, caller
from worldline.recording.recorder import record, record_many

PLAIN = """\
import os, time
seen = []
class Point:
    def __init__(self, x):
        self.x = x
def f(n, kept=[]):
    kept.append(n)
    seen.append(n)
    return n * 2, list(kept), len(seen)
def grow(xs):
    xs.append(1)
    return xs
def point(x):
    return Point(x)
def fail(key):
    return {}[key]
def spin():
    while True:
        pass
def stubborn():
    while True:
        try:
            time.sleep(60)
        except BaseException:
            pass
def in_c():
    return sum(range(10 ** 13))
def branch(n):
    if n > 3:
        return "big"
    return "small"
"""


@pytest.fixture(scope="module")
def calls() -> Iterator[Caller]:
    with caller() as made:
        yield made


def ends(calls: Caller, source: str, *texts: str, seconds: float = 20.0, fresh: bool = True) -> list[CallEnd]:
    return calls.run(CallBatch(source, texts, seconds=seconds, fresh=fresh))


def test_values_and_exceptions_are_canonical_text_as_a_recording_has_them(calls: Caller) -> None:
    texts = ("f(3)", "grow([1, 2])", "point({2, 1})", "fail('k')", "fail([])", "f()", "1 + 1", "undefined")
    found = ends(calls, PLAIN, *texts)
    recorded = record_many(Program(source=PLAIN, name="program.py", call=text) for text in texts)
    for text, call, outcome in zip(texts, found, (trace.outcome for trace in recorded), strict=True):
        assert (call.kind, call.value) == (outcome.kind, outcome.detail), text
    assert found[0] == CallEnd("returned", "(6, [3], 1)")


def test_each_call_finds_a_module_of_its_own_unless_they_are_to_share_it(calls: Caller) -> None:
    assert {call.value for call in ends(calls, PLAIN, "f(1)", "f(1)", "f(1)")} == {"(2, [1], 1)"}
    shared = ends(calls, PLAIN, "f(1)", "f(2)", fresh=False)
    assert [call.value for call in shared] == ["(2, [1], 1)", "(4, [1, 2], 2)"]


def test_modules_of_further_files_are_made_anew_too(calls: Caller) -> None:
    source = "import other\ndef f():\n    other.count += 1\n    return other.count\n"
    batch = CallBatch(source, ("f()", "f()"), files=(("other.py", "count = 0\n"),))
    assert [call.value for call in calls.run(batch)] == ["1", "1"]


@pytest.mark.parametrize("endless", ["spin()", "stubborn()", "in_c()"])
def test_a_call_that_does_not_end_is_stopped_and_those_around_it_are_made(calls: Caller, endless: str) -> None:
    found = ends(calls, PLAIN, "branch(1)", endless, "branch(5)", seconds=0.3)
    assert found == [CallEnd("returned", "'small'"), CallEnd("limit", "time"), CallEnd("returned", "'big'")]


def test_a_call_that_hears_no_alarm_costs_itself_alone(calls: Caller) -> None:
    deaf = "signal.setitimer(signal.ITIMER_REAL, 0) and time.sleep(10**6)"
    masked = "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 60)) and 0 or time.sleep(10**6)"
    source = "import signal\n" + PLAIN
    found = ends(calls, source, "branch(1)", deaf, "branch(5)", masked, "branch(6)", seconds=1.0)
    assert [call.value for call in found] == ["'small'", "time", "'big'", "time", "'big'"]
    assert [call.kind for call in found] == ["returned", "limit", "returned", "limit", "returned"]


@pytest.mark.parametrize("end", ["os._exit(0)", "os.kill(os.getpid(), 9)"])
def test_a_call_that_ends_the_process_costs_itself_alone(calls: Caller, end: str) -> None:
    found = ends(calls, PLAIN, "branch(1)", end, "branch(5)")
    assert [call.kind for call in found] == ["returned", "fault", "returned"]


def test_a_call_that_forks_is_made_once(calls: Caller) -> None:
    found = ends(calls, PLAIN, "os.fork() >= 0", "branch(5)", "branch(1)")
    assert [call.value for call in found] == ["True", "'big'", "'small'"]


def test_too_much_memory_is_that_calls_end(calls: Caller) -> None:
    found = ends(calls, PLAIN, "len(b'x' * (3 << 30))", "branch(5)")
    assert found[0].kind in ("limit", "raised")  # by a cgroup's kill, or a MemoryError where there is none
    assert found[1] == CallEnd("returned", "'big'")


def test_what_is_printed_goes_nowhere_and_nothing_is_read(calls: Caller) -> None:
    found = ends(
        calls, PLAIN, "print('x' * 5_000_000)", "input()", "setattr(__import__('sys'), 'stdout', 3)", "print(1)"
    )
    assert [call.value for call in found] == ["None", "EOFError('EOF when reading a line')", "None", "None"]


def test_the_lines_that_a_call_reaches_are_told_where_asked(calls: Caller) -> None:
    big, small = calls.run(CallBatch(PLAIN, ("branch(5)", "branch(1)"), lines=True))
    start = PLAIN[: PLAIN.index("    if n > 3")].count("\n") + 1
    assert (big.lines, small.lines) == ({start, start + 1}, {start, start + 2})
    assert ends(calls, PLAIN, "branch(5)")[0].lines is None


def test_a_source_that_cannot_be_run_is_said_of_every_call(calls: Caller) -> None:
    assert ends(calls, "def f(:\n", "f()", "f()") == [CallEnd("fault", "source: SyntaxError in line 1")] * 2
    assert ends(calls, "1 / 0\n", "f()") == [CallEnd("raised", "ZeroDivisionError('division by zero')")]
    assert ends(calls, "while 1: pass\n", "f()", "f()", seconds=0.3) == [CallEnd("limit", "time")] * 2
    assert ends(calls, PLAIN, "f(", "branch(5)")[0] == CallEnd("fault", "call: SyntaxError")
    with pytest.raises(UsageError, match="seconds of a call"):
        CallBatch(PLAIN, (), seconds=0)


def test_batches_share_nothing(calls: Caller, tmp_path: Path) -> None:
    source = """\
import os, sys
def leave():
    open("left", "w").close()
    sys.modules["left"] = 1
    return sorted(os.listdir())
def look(path):
    return os.path.exists(path), "left" in sys.modules, os.listdir()
"""
    assert ends(calls, source, "leave()")[0].value == "['left', 'program.py']"
    secret = tmp_path / "secret"
    secret.write_text("mine")
    assert ends(calls, source, f"look({str(secret)!r})")[0].value == "(False, False, ['program.py'])"


def test_it_stands_in_recordings_own_box(calls: Caller) -> None:
    source = """\
import os, socket
def addresses():
    return sorted(name for _, name in socket.if_nameindex()), os.getuid(), os.environ.get("HOME"), os.getppid()
def reach():
    return socket.create_connection(("1.1.1.1", 53), 1)
def mount():
    import ctypes
    return ctypes.CDLL(None).unshare(0x10000000)
"""
    for text in ("addresses()", "reach()", "mount()"):
        recorded = record(Program(source=source, name="program.py", call=text)).outcome
        assert ends(calls, source, text) == [CallEnd(recorded.kind, recorded.detail)], text


def test_what_a_program_writes_over_our_lines_is_not_believed_beyond_its_batch(calls: Caller) -> None:
    source = """\
import os
def forge(data):
    for number in map(int, os.listdir("/proc/self/fd")):
        try:
            os.pwrite(number, data, 64)
            os.pwrite(number, b"WLW1" + bytes(4) + (1 << 40).to_bytes(8, "little"), 0)
        except OSError:
            pass
    os._exit(0)
def plain():
    return 1
"""
    forged = (b"\\xff" * 99, b'{"kind": "returned"}\n' * 9, b'{"kind": "lost", "value": "7"}\n', b"[" * 9_000)
    texts = tuple(f"forge({data!r})" for data in forged)
    found = ends(calls, source, *texts, "plain()")
    assert [call.kind for call in found] == ["fault"] * 4 + ["returned"]
    many = b'{"kind": "returned", "value": "7", "lines": [-1, 10000000000000000000000, 2]}\n' * 100
    assert len(ends(calls, source, f"forge({many!r})", "plain()")) == 2


def test_a_batch_that_takes_too_long_is_left(calls: Caller) -> None:
    with caller(limits=Limits(wall=3)) as short:
        found = short.run(CallBatch(PLAIN, ("branch(5)", *["spin()"] * 50), seconds=60.0))
    assert found[0].value == "'big'"
    assert found[1] == CallEnd("limit", "time")
    assert set(found[2:]) == {CallEnd("limit", "batch")}


def test_a_thousand_calls_and_a_hundred_batches(calls: Caller) -> None:
    found = ends(calls, PLAIN, *(f"branch({n})" for n in range(1000)))
    assert [call.value for call in found] == ["'small'"] * 4 + ["'big'"] * 996
    batches = (CallBatch(f"def f():\n    return {n}\n", ("f()",)) for n in range(20))
    assert [each[0].value for each in calls.run_many(batches)] == [str(n) for n in range(20)]


def test_more_than_a_wire_holds_takes_several() -> None:
    with caller(limits=Limits(trace_bytes=1, value_bytes=50_000, wall=60.0)) as small:  # and 64 KiB
        found = ends(small, PLAIN, *["'x' * 40_000"] * 5, "'x' * 60_000")
    assert [len(call.value) for call in found] == [40_002] * 5 + [len("...<str 60000>")]


def test_without_a_box_where_programs_are_trusted() -> None:
    with caller(trust=True) as calls:
        assert ends(calls, PLAIN, "branch(5)", "spin()", seconds=0.3)[0] == CallEnd("returned", "'big'")
