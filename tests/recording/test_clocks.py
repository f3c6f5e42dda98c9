"""Clocks and identities of controlled programs: virtual under a seed, real and recorded when live, and replayed."""

from __future__ import annotations

import re
import time
from dataclasses import replace

import pytest
from interpreters import FOUND

from worldline.core.hidden import Control, replaying
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.recording.recorder import record

LIMITS = Limits(wall=60)
CLOCKS = """\
import datetime, os, resource, time
from datetime import date, datetime as dt
from time import monotonic, sleep
began = monotonic()
sleep(2.5)
print(round(monotonic() - began, 3))
numbers = [time.time(), time.time_ns(), time.perf_counter(), time.process_time(), time.thread_time_ns()]
print(dt.now(), dt.utcnow(), dt.now(datetime.timezone.utc), dt.today(), date.today())
print(time.localtime().tm_hour, time.gmtime()[:3], time.ctime(), time.asctime(), time.strftime("%H:%M"))
print(time.localtime(0).tm_year, time.strftime("%Y", time.gmtime(0)), time.ctime(0))
print(time.clock_gettime(time.CLOCK_REALTIME), time.clock_gettime_ns(time.CLOCK_MONOTONIC))
print(os.times(), resource.getrusage(resource.RUSAGE_SELF).ru_utime)
"""
LOOP = """\
import asyncio
async def late(seconds):
    await asyncio.sleep(seconds)
    return seconds
async def main():
    began = asyncio.get_running_loop().time()
    try:
        await asyncio.wait_for(late(1000), 60)
    except asyncio.TimeoutError:
        print("timed out", round(asyncio.get_running_loop().time() - began, 2))
    print(await asyncio.gather(late(300), late(100), late(200)))
asyncio.run(main())
"""
NAMES = """\
import copy, tempfile, uuid
class A:
    def __del__(self):
        print("gone")
a, b, c = A(), A(), [1]
print(id(a), id(b), id(c), id(a))
del b
twice = copy.deepcopy([c, c], memo := {})
print(twice[0] is twice[1], id(c) in memo)
print(uuid.uuid1().version, uuid.uuid1(), tempfile.mkdtemp())
"""


def run(source: str, control: Control | None, version: str) -> Trace:
    return record(Program(source=source), control=control, limits=LIMITS, python=FOUND[version])


def facts(trace: Trace) -> dict[str, object]:
    whole = trace.as_json()
    return {key: whole[key] for key in ("outcome", "steps", "frames", "output", "hidden", "notes")}


@pytest.mark.parametrize("version", FOUND)
@pytest.mark.parametrize("source", [CLOCKS, LOOP, NAMES])
def test_one_seed_is_one_run_and_any_record_replays(version: str, source: str) -> None:
    first = run(source, Control(seed=7), version)
    assert first.outcome.kind == "returned", first.stderr
    assert facts(run(source, Control(seed=7), version)) == facts(first)
    assert facts(run(source, replace(replaying(first.hidden), seed=9), version)) == facts(first)


@pytest.mark.parametrize("version", FOUND)
def test_live_readings_replay(version: str) -> None:
    source = CLOCKS.replace("sleep(2.5)", "sleep(0)") + NAMES
    live = run(source, Control(seed=None), version)
    assert facts(run(source, replaying(live.hidden), version)) == facts(live)
    walls = [int(each.value) for each in live.hidden if each.kind == "clock" and len(each.value) == 19]
    assert 0 < time.time_ns() - min(walls) < 600 * 10**9


def test_both_cores_read_the_same_clocks() -> None:
    program = Program(source=CLOCKS + NAMES)
    native, readable = (
        record(program, control=Control(seed=7), limits=LIMITS, core=core) for core in ("native", "python")
    )
    assert facts(native) == facts(readable)


def test_the_virtual_clock() -> None:
    version = next(iter(FOUND))
    trace = run(CLOCKS, Control(seed=7), version)
    lines = trace.output.splitlines()
    assert lines[0] == "2.5"
    assert lines[1].startswith("2026-01-01 00:00:09.5")
    assert lines[2] == "0 (2026, 1, 1) Thu Jan  1 00:00:09 2026 Thu Jan  1 00:00:09 2026 00:00"
    assert lines[3] == "1970 1970 Thu Jan  1 00:00:00 1970"
    assert {each.kind for each in trace.hidden} == {"clock", "times", "usage"}


def test_a_time_out_is_waited_for_by_nobody() -> None:
    version = next(iter(FOUND))
    began = time.monotonic()
    trace = run(LOOP, Control(seed=7), version)
    assert trace.output == "timed out 60.0\n[300, 100, 200]\n"
    assert time.monotonic() - began < 60


def test_a_loop_until_a_time_ends() -> None:
    source = "import time\nend = time.time() + 1\nwhile time.time() < end:\n    pass\n"
    trace = run(source, Control(seed=7), next(iter(FOUND)))
    assert trace.outcome.kind == "returned"
    assert len(trace) < 20_000


def test_ids_count_and_hold_nothing() -> None:
    trace = run(NAMES, Control(seed=7), next(iter(FOUND)))
    assert trace.output.splitlines()[:4] == ["1 2 3 1", "gone", "True True", trace.output.splitlines()[3]]
    assert [each.value for each in trace.hidden if each.kind == "id"] == ["1", "2", "3", "1", "3"]
    assert trace.output.splitlines()[3].startswith("1 ")


def test_an_address_is_noted() -> None:
    trace = run("print(object())\n", Control(seed=7), next(iter(FOUND)))
    assert trace.notes == ("addresses",)


def test_a_replay_differs_from_its_run_in_noted_addresses_alone() -> None:
    source = "import os, random\nprint(random.random(), object(), os.urandom(4), os.getloadavg(), len)\n"
    first, again = (run(source, Control(seed=7), next(iter(FOUND))) for _ in range(2))
    assert first.output == again.output
    replayed = run(source, replaying(first.hidden), next(iter(FOUND)))
    assert "addresses" in replayed.notes
    assert re.sub("0x[0-9a-f]+", "", replayed.output) == re.sub("0x[0-9a-f]+", "", first.output)


@pytest.mark.parametrize("version", FOUND)
def test_clocks_look_as_they_did(version: str) -> None:
    source = """\
import datetime, time, traceback
print(time.time, time.sleep, datetime.datetime.now, id, datetime.datetime.__dict__["now"])
class Own(datetime.datetime):
    pass
print(type(Own.now()).__name__, type(Own.utcnow()).__name__, Own.now().tzinfo, Own.utcnow().tzinfo)
def tries():
    yield lambda: time.sleep(-1)
    yield lambda: time.sleep("a")
    yield lambda: time.time(1)
    yield lambda: time.localtime("a")
    yield lambda: datetime.datetime.now(3)
    yield lambda: time.strftime()
    yield lambda: time.clock_gettime("a")
    yield lambda: id()
for act in tries():
    try:
        act()
    except Exception as error:
        print(repr(error), [frame.name for frame in traceback.extract_tb(error.__traceback__)])
"""
    free, held = (run(source, control, version) for control in (None, Control(seed=1)))
    cut = [[line.split(" at 0x")[0] for line in trace.output.splitlines()] for trace in (free, held)]
    assert cut[0] == cut[1]
    assert held.stderr == free.stderr


def test_times_and_devices_of_files() -> None:
    source = """\
import os, pathlib
with open("a.txt", "w") as file:
    file.write("x")
found = os.stat("a.txt")
print(found.st_mtime, found[8], found.st_size, os.path.getmtime("a.txt"), pathlib.Path("a.txt").stat().st_ctime_ns)
os.utime("a.txt", (5, 7))
print(os.stat("a.txt").st_mtime, [entry.stat().st_atime for entry in os.scandir(".") if entry.name == "a.txt"])
for name in ("one", "two"):  # an import sees that the folder has changed
    with open(name + ".py", "w") as file:
        file.write("x = 1")
    __import__(name)
"""
    for version in FOUND:
        trace = run(source, Control(seed=7), version)
        at = "1767225607"
        assert trace.output == f"{at}.0 {at} 1 {at}.0 {at}000000000\n7.0 [5.0]\n", trace.stderr
        assert {each.kind for each in trace.hidden} == {"stat"}
        live = run(source, Control(seed=None), version)
        assert facts(run(source, replaying(live.hidden), version)) == facts(live)
