"""Many recordings in one process: a limit detaches the recorder, and nothing of a recording outlives its end.

`many_recordings.py` is executed on every interpreter at hand, with both cores. The wires that they write must be
the same.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from interpreters import FOUND

import worldline.recording.guests
from worldline.core.events import EVENTS
from worldline.core.trace import Outcome
from worldline.recording import wire
from worldline.recording.native import recorder_for

GUESTS = Path(worldline.recording.guests.__file__).parents[1]
SCRIPT = Path(__file__).with_name("many_recordings.py")
EACH = pytest.mark.parametrize("version", FOUND)


def execute(version: str, core: str, folder: Path, scenario: str) -> Any:
    native = "-" if core == "python" else str(recorder_for(FOUND[version]))
    command = [FOUND[version], "-I", "-B", str(SCRIPT), str(GUESTS), native, str(folder), scenario]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Both:
    """One scenario on both cores: what it returned, and the wires."""

    def __init__(self, version: str, scenario: str, tmp_path: Path) -> None:
        self.results, self.wires = [], []
        for core in ("native", "python"):
            folder = tmp_path / core
            folder.mkdir()
            self.results.append(execute(version, core, folder, scenario))
            self.wires.append({path.name: committed(path) for path in folder.iterdir()})

    def agree(self) -> Any:
        """Return the result of both, after checking that they and the wires are the same."""
        native, readable = self.wires
        assert {name for name in native if native[name] != readable.get(name)} == set()
        assert native.keys() == readable.keys()
        assert self.results[0] == self.results[1]
        return self.results[0]

    def decoded(self, name: str) -> Any:
        return wire.decode(self.wires[0][name])

    def events(self, name: str) -> list[str]:
        return [EVENTS[code] for code in self.decoded(name).columns.event]


def committed(path: Path) -> bytes:
    data = path.read_bytes()
    return data[: int.from_bytes(data[8:16], "little")]


@pytest.mark.long(reason="makes 120 recordings on each interpreter with each core")
@EACH
def test_a_limit_detaches_the_recorder_and_the_program_goes_on(version: str, tmp_path: Path) -> None:
    both = Both(version, "limits", tmp_path)
    for result, wires in zip(both.results, both.wires, strict=True):
        assert result["fine"]
        whole = wires.pop("whole")
        limited = 0
        for name, data in wires.items():
            decoded = wire.decode(data)
            assert decoded.end is not None
            assert decoded.damage is None
            if decoded.end.kind == "returned":
                assert data == whole
                continue
            limited += 1
            kind, _, number = name.partition("-")
            assert decoded.end == Outcome("limit", kind)
            end = len(b"\x3f\x05limit\x05steps")
            assert data[16:-end] == whole[16 : len(data) - end]
            assert kind == "bytes" or len(decoded.columns) == int(number)
        assert limited > 80
        assert result["off"] >= limited
    # The cores reserve different amounts for a record, so only the limit of steps falls on the same byte.
    native, readable = ({name: data for name, data in wires.items() if name[0] == "s"} for wires in both.wires)
    assert native == readable


@EACH
def test_every_method_is_harmless_after_a_detach(version: str, tmp_path: Path) -> None:
    both = Both(version, "after", tmp_path)
    native, readable = both.results
    assert both.wires[0]["after"] == both.wires[1]["after"]
    assert (
        native
        == readable
        == {"fine": [True] * 3, "off": True, "results": ["(\"[1, {'a': <class Exception>}]\", True)"]}
    )
    assert both.decoded("after").end == Outcome("limit", "steps")
    assert both.decoded("early").end == Outcome("limit", "bytes")
    assert "late" not in both.decoded("after").notes


@EACH
def test_a_generator_of_an_earlier_recording_counts_as_a_new_call(version: str, tmp_path: Path) -> None:
    both = Both(version, "generators", tmp_path)
    assert both.agree() == {"values": [0, 1, 2, None, 3, None, 4, None], "fine": [True] * 4}
    events = [both.events(f"generator-{n}") for n in range(2)]
    assert events[0].count("resume") == 1
    assert (events[1].count("resume"), events[1].count("call"), events[1].count("yield")) == (0, 2, 1)


@EACH
def test_frames_that_run_before_the_start_are_ignored(version: str, tmp_path: Path) -> None:
    both = Both(version, "open_frames", tmp_path)
    result = both.agree()
    assert (result["value"], result["fine"][:2]) == (7, [True, True])
    assert both.decoded("open-start").end == Outcome("returned")
    assert both.events("open-start") == ["call", "line", "return"] * 2
    assert both.decoded("open-stop").end == Outcome("returned")
    assert both.events("open-stop") == ["call", "line", "line"]
    # Up to 3.11 the program can take the recorder's events away, and this is still named.
    assert (both.decoded("taken").end.kind == "returned") == result["fine"][2] == (version != "3.11")


@EACH
def test_names_that_no_source_can_spell_are_not_recorded(version: str, tmp_path: Path) -> None:
    both = Both(version, "names", tmp_path)
    assert both.agree() == {"fine": True}
    data = both.wires[0]["names"]
    assert b"shown" in data
    assert b"@" not in data


# The readable core is the same code everywhere and takes a minute for each interpreter.
@pytest.mark.long(reason="makes 2,000 recordings on each interpreter")
@pytest.mark.parametrize(
    ("version", "core"), [*((version, "native") for version in FOUND), (next(iter(FOUND)), "python")]
)
def test_two_thousand_recordings_take_no_more_memory_than_a_few_hundred(
    version: str, core: str, tmp_path: Path
) -> None:
    result = execute(version, core, tmp_path, "many")
    # One recording kept would be more than a kilobyte, and so 1,500 of them.
    assert result.pop("growth") < 1 << 20
    assert result == {"fine": 2000, "maps": 0, "free": 3}


@EACH
def test_code_globals_classes_and_values_are_released(version: str, tmp_path: Path) -> None:
    both = Both(version, "released", tmp_path)
    assert both.agree() == {"gone": [[True] * 4] * 2}


@EACH
def test_a_forked_child_makes_its_own_recording(version: str, tmp_path: Path) -> None:
    both = Both(version, "forked", tmp_path)
    assert both.agree() == {"status": 2, "fine": True}
    assert both.decoded("parent").end == Outcome("returned")
    # Two calls with 2 numbers each; the child's call with 3 is not among them.
    assert both.events("parent").count("yield") == 4
    assert both.events("child").count("yield") == 9


@EACH
def test_each_recording_has_its_own_files(version: str, tmp_path: Path) -> None:
    both = Both(version, "files", tmp_path)
    assert both.agree() == {"fine": [True] * 3}
    steps = [len(both.events(f"files-{name}")) for name in ("first", "second", "third")]
    assert steps[0] == 0
    assert steps[1] == steps[2] > 20


@EACH
def test_two_recorders_at_a_time_are_refused(version: str, tmp_path: Path) -> None:
    both = Both(version, "twice", tmp_path)
    assert both.results == [{"refused": True, "fine": True}] * 2
    assert both.decoded("first").end == Outcome("returned")
