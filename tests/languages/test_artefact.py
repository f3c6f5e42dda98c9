"""What was prepared: packed in the box, read on the host whatever the bytes, kept by digest and within bounds."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.recording.guests.prepared import pack, unpack
from worldline.recording.languages import artefact
from worldline.recording.languages.toolchain import KINDS, Toolchain
from worldline.recording.recorder import record

GCC = Toolchain("c", KINDS["c"], "12.2.0", (("gcc", "/usr/bin/gcc"),), ())
SPEC = {"name": "a.c", "source": "int x;", "call": None, "files": {}, "limits": {"steps": 5}}


@given(st.dictionaries(st.text("abc.", min_size=1), st.binary()))
def test_what_is_packed_is_read(made: dict[str, bytes]) -> None:
    assert artefact.read(pack(made)) == made


@given(st.binary())
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    found = artefact.read(data)
    assert found is None or artefact.read(pack(found)) == found


@pytest.mark.parametrize("cut", [0, 7, 8, 12, -1])
def test_what_is_not_whole_is_nothing(cut: int) -> None:
    assert artefact.read(pack({"program": b"abc", "flow": b"{}"})[:cut]) is None


def test_it_is_unpacked_as_files(tmp_path: Path) -> None:
    (tmp_path / "packed").write_bytes(pack({"program": b"x" * 3_000_000, "flow": b""}))
    fd = os.open(tmp_path / "packed", os.O_RDONLY)
    paths = unpack(fd, str(tmp_path / "made"))
    os.close(fd)
    assert Path(paths["program"]).read_bytes() == b"x" * 3_000_000
    assert os.access(paths["program"], os.X_OK)
    assert Path(paths["flow"]).read_bytes() == b""


def test_all_that_decides_it_is_in_its_key() -> None:
    keys = [artefact.key(GCC, SPEC), artefact.key(GCC, SPEC | {"limits": {}})]
    assert len(set(keys)) == 1  # limits do not
    keys += [
        artefact.key(GCC, SPEC | change) for change in ({"source": "int y;"}, {"call": {}}, {"files": {"b.h": ""}})
    ]
    keys += [artefact.key(replace(GCC, version="13.1.0"), SPEC), artefact.key(replace(GCC, language="cpp"), SPEC)]
    assert len(set(keys)) == 6


def test_what_was_not_used_for_longest_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(artefact, "MAX_CACHE_BYTES", 500)
    for number in range(4):
        artefact.keep(f"{number}", pack({"program": b"x" * 120}))
        os.utime(artefact.folder() / f"{number}", (number, number))
    assert artefact.load("0") is None
    assert artefact.load("1") is not None  # and is the newest now
    artefact.keep("4", pack({"program": b"x" * 120}))
    assert sorted(path.name for path in artefact.folder().iterdir()) == ["1", "3", "4"]


def test_a_process_looks_at_all_that_is_there_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(artefact, "MAX_CACHE_FILES", 3)
    monkeypatch.setattr(artefact, "MAX_CACHE_BYTES", 64_000)
    monkeypatch.setattr(artefact, "_unlooked", float("inf"))
    left = []
    for number in range(14):
        artefact.keep(f"{number}", pack({"program": b"x" * 200}))
        os.utime(artefact.folder() / f"{number}", (number, number))
        left.append(len(os.listdir(artefact.folder())))
    assert left == [1, 2, 3, 4, 5, 3, 4, 5, 6, 7, 3, 4, 5, 6]


def test_damage_is_as_if_it_were_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    artefact.keep("a", pack({"program": b"abc"}))
    (artefact.folder() / "a").write_bytes(b"other")
    assert artefact.load("a") is None
    (artefact.folder() / "a").unlink()
    (artefact.folder() / "a").symlink_to("/etc/passwd")
    assert artefact.load("a") is None


def test_parts_that_the_disk_does_not_hold_are_a_limit() -> None:
    trace = record(Program(source="fn main() {}\n", name="main.rs"), limits=Limits(disk=1 << 16))
    assert (trace.outcome.kind, trace.outcome.detail) == ("limit", "disk")
