"""Probes in C, C++ and Rust that try to get out of the box, while they are compiled or when they run: none may.

The host with something to lose is that of `tests/escape`. A probe of compilation says `@CANARY@` and the like where the
host's own paths are put; one of running finds them in its arguments, and says `attempted` before it tries.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import plain
import pytest
import stepping
import warm

sys.path.insert(0, str(Path(__file__).parents[2] / "escape"))

from test_escape import Outside

from worldline.core.limits import Limits
from worldline.core.program import Program

HERE = Path(__file__).parent / "escape"
PROBES = sorted(path for path in HERE.iterdir() if path.stem != "outside")
PASTED = {'#include "outside.h"': "outside.h", 'include!("outside.rs");': "outside.rs"}
# Probes that only read and call: run plainly by root, `write_files` would rename a tool of the host.
CONTROLS = [f"{stem}{suffix}" for stem in ("read_files", "network") for suffix in (".c", ".cpp", ".rs")]
CONTROLS += ["incbin_canary.c", "incbin_canary.cpp", "include_text.rs"]
ENVIRONMENTS = ("own_environment", "include_environ")
NAMES = re.compile(r"(?:^|\0)(\w+)=", re.MULTILINE)
KNOWN = {"PATH", "LC_ALL", "LANG", "TZ", "HOME", "PWD", "PYTHONHASHSEED", "TMPDIR", "RUSTC_BOOTSTRAP"}
ENDLESS = {"endless_constant", "include_bomb"}  # to compile: they take all the time that they get


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Outside]:
    with ExitStack() as stack:
        made = Outside(tmp_path, stack)
        monkeypatch.setenv("WORLDLINE_CANARY", made.secret)
        yield made


def source_of(path: Path, outside: Outside) -> str:
    """A probe's source with the host's own places in it."""
    text = path.read_text()
    for line, file in PASTED.items():
        text = text.replace(line, (HERE / file).read_text().rstrip("\n"))
    for name, value in (("CANARY", outside.canary), ("MARK", outside.mark), ("HOME", Path.home())):
        text = text.replace(f"@{name}@", str(value))
    return text


@pytest.mark.sampled(6)
@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("path", PROBES, ids=lambda path: path.name)
def test_no_probe_escapes(path: Path, outside: Outside) -> None:
    program = Program(source=source_of(path, outside), name=path.name, argv=outside.argv)
    wall = 15 if path.stem in ENDLESS else 60
    trace = warm.record(program, Limits(wall=wall, steps=200_000))
    if trace.outcome.detail.startswith("toolchain:"):
        pytest.skip(trace.outcome.detail)
    marks = outside.marks(trace.output + trace.stderr)
    if path.read_text().startswith("// run:") and "attempted" not in trace.output:
        marks.append(f"never tried: {trace.outcome} {trace.stderr[-500:]}")
    if path.stem == "forge_wire" and trace.outcome != type(trace.outcome)("exited", "77"):
        marks.append(f"forged {trace.outcome}")
    if "canary-secret-" in trace.output + trace.stderr:  # this test's, or that of when the box was opened
        marks.append("a secret was printed")
    if path.stem in ENVIRONMENTS:
        marks += [f"the host's {name}" for name in sorted(set(NAMES.findall(trace.output)) - KNOWN)]
    if trace.outcome.kind == "host-fault":
        marks.append(str(trace.outcome))
    assert marks == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", CONTROLS)
def test_the_probes_can_tell(name: str, outside: Outside) -> None:
    """Without a box they do get there: the same text, compiled and run plainly."""
    if name.endswith(".rs") and stepping.RUSTC is None:
        pytest.skip("no rustc on this machine")
    ran = plain.run(source_of(HERE / name, outside), name, argv=outside.argv)
    assert ran is not None
    assert outside.marks((ran.stdout + ran.stderr).decode(errors="replace"))


def test_there_are_probes_of_both_kinds_in_each_language() -> None:
    for suffix in (".c", ".cpp", ".rs"):
        kinds = {path.read_text().partition(":")[0] for path in PROBES if path.suffix == suffix}
        assert kinds == {"// compile", "// run"}
