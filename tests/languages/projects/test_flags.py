"""Flags of compilers and virtual machines decide the execution, and belong to the program wherever it is stored."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from worldline.cli import cli
from worldline.codec.compact.prompt import Compact, Prompt, parse_prompt, prompt
from worldline.codec.json_text import encode, parse
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.data import shards
from worldline.data.program_file import load_program
from worldline.evaluation.suites.own import load, rows_suite
from worldline.recording.languages import artefact, toolchain
from worldline.recording.languages.flags import flags_refusal
from worldline.recording.recorder import record

FLAGGED = Program(source="int main(void) { return N; }\n", name="a.c", flags=("-DN=3", "-std=c99"))
ASSERTS = """\
public class Main {
    public static void main(String[] args) {
        assert System.getProperty("who") == null : System.getProperty("who");
        System.out.println("done");
    }
}
"""
RUST = """\
fn main() {
    let r#async = if cfg!(feature = "x") { 1 } else { 2 };
    println!("{}", r#async);
}
"""


def require(language: str) -> None:
    if isinstance(missing := toolchain.find(language), str):
        pytest.skip(missing)


def ran(*words: str) -> Result:
    return CliRunner().invoke(cli, words, catch_exceptions=False)


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize(
    ("name", "source", "flags", "vm_flags", "output"),
    [
        ("a.c", '#include <stdio.h>\nint main(void) { printf("%d %ld", N, __STDC_VERSION__); }\n',
         ("-DN=5", "-std=c99", "-Wall", "-Werror", "-w", "-O0", "-g"), (), "5 199901"),
        ("a.c", "#include <math.h>\n#include <stdio.h>\nint main(void) { volatile double x = 2; "
         'printf("%.2f", sqrt(x)); }\n', ("-lm",), (), "1.41"),
        ("a.c", '#include <stdio.h>\nint main(int n, char **v) { int xs[n]; xs[0] = 7; printf("%d", xs[0]); }\n',
         ("-Werror", "-Wall"), (), "7"),
        ("a.cpp", "#include <iostream>\nint main() { std::cout << __cplusplus; }\n", ("-std=c++17",), (), "201703"),
        ("a.cpp", "#include <iostream>\nint main() { std::cout << __cplusplus; }\n", (), (), "202002"),
        ("a.rs", RUST, ('--cfg=feature="x"',), (), "1\n"),
        ("a.rs", RUST.replace("r#async", "async"), ("--edition=2015",), (), "2\n"),
        ("a.rs", "fn main() { let x: u8 = 255; let one = std::env::args().count() as u8; print!(\"{}\", x + one); }",
         ("-Coverflow-checks=off",), (), "0"),
        ("Main.java", ASSERTS, (), (), "done\n"),
        ("Main.java", ASSERTS, ("--release=17",), ("-ea",), "done\n"),
        ("a.js", "console.log(typeof gc, process.execArgv.length);\n", (), ("--expose-gc",), "function 1\n"),
        ("a.js", "console.log(typeof gc, process.execArgv.length);\n", (), (), "undefined 0\n"),
    ],
)  # fmt: skip
def test_flags_reach_the_compiler_and_the_machine(
    name: str, source: str, flags: tuple[str, ...], vm_flags: tuple[str, ...], output: str
) -> None:
    program = Program(source=source, name=name, flags=flags, vm_flags=vm_flags)
    require(program.language)
    trace = record(program)
    assert (trace.outcome.kind in ("returned", "exited"), trace.output) == (True, output), trace.stderr
    assert len(trace) > 2


@pytest.mark.usefixtures("sandbox")
def test_assertions_of_java_are_decided_by_a_flag() -> None:
    require("java")
    trace = record(Program(source=ASSERTS, name="Main.java", vm_flags=("-ea", "-Dwho=me")))
    assert (trace.outcome.kind, trace.outcome.detail) == ("raised", "AssertionError('me')")


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize(
    ("name", "source", "flag", "message"),
    [
        (
            "Main.java",
            ASSERTS,
            "-Xmx1k",
            "flag: -Xmx1k: not started: Error occurred during initialization of VM; Too small",
        ),
        ("a.js", "1;\n", "--harmony-nothing", "bad option: --harmony-nothing"),
    ],
)
def test_a_flag_that_the_machine_refuses_is_named(name: str, source: str, flag: str, message: str) -> None:
    program = Program(source=source, name=name, vm_flags=(flag,))
    require(program.language)
    trace = record(program)
    assert trace.outcome.kind == "unsupported"
    assert message in trace.outcome.detail


@pytest.mark.parametrize(
    ("name", "flags", "reason"),
    [
        ("a.c", ["-O2"], "--flag=-O2: gcc does not get this flag: optimized code has no steps"),
        ("a.cpp", ["-Ofast"], "optimized code"),
        ("a.cpp", ["-g0"], "the recorder chooses the debug information"),
        ("a.c", ["-o"], "the recorder chooses what the compiler writes"),
        ("a.c", ["-fsanitize=address"], "it instruments the program"),
        ("a.c", ["-static"], "the recorder links the program"),
        ("a.c", ["-Wl,-z,now"], "the recorder links the program"),
        ("a.c", ["-fplugin=x.so"], "not among the flags"),
        ("a.c", ["@more"], "a flag starts with `-`"),
        ("a.c", ["util.c"], "--file"),
        ("a.c", ["-I include"], "in one word"),
        ("a.rs", ["-Copt-level=3"], "optimized code"),
        ("a.rs", ["-Cpanic=abort"], "the recorder links"),
        ("a.rs", ["-Zunstable-options"], "it instruments the program"),
        ("a.rs", ["--extern=x=y"], "--library"),
        ("A.java", ["-g:none"], "the recorder chooses the debug information"),
        ("A.java", ["-cp=x.jar"], "--library"),
        ("a.js", ["-x"], "JavaScript has no compiler that takes flags; leave it out, or use --vm-flag"),
        ("a.py", ["-O"], "Python has no compiler that takes flags; leave it out"),
    ],
)
def test_flags_that_would_break_a_recording_are_refused(name: str, flags: list[str], reason: str) -> None:
    assert reason in flags_refusal(Program(source="", name=name, flags=tuple(flags)))


@pytest.mark.parametrize(
    ("name", "flag", "reason"),
    [
        ("A.java", "-javaagent:x.jar", "other tools inside the program"),
        ("A.java", "-XX:+UseZGC", "the recorder chooses how the virtual machine runs"),
        ("A.java", "-Dworldline.run=1", "the recorder chooses how the virtual machine runs"),
        ("a.js", "--stack-size=9", "the recorder chooses how the virtual machine runs"),
        ("a.ts", "--require=x", "other tools inside the program"),
        ("a.c", "-ea", "C has no virtual machine that takes flags; leave it out, or use --flag"),
    ],
)
def test_flags_of_a_machine_that_are_refused(name: str, flag: str, reason: str) -> None:
    assert reason in flags_refusal(Program(source="", name=name, vm_flags=(flag,)))


def test_a_refused_flag_ends_the_command_before_anything_is_executed(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(FLAGGED.source)
    with pytest.raises(UsageError, match="-O2: gcc does not get this flag"):
        ran("record", str(path), "--flag=-O2")


@pytest.mark.usefixtures("sandbox")
def test_a_stored_program_with_a_refused_flag_is_not_executed() -> None:
    trace = record(replace(FLAGGED, flags=("-O2",)))
    assert (trace.outcome.kind, len(trace)) == ("unsupported", 0)
    assert "optimized code" in trace.outcome.detail


def test_flags_belong_to_the_identity_of_a_program() -> None:
    programs = [
        FLAGGED,
        replace(FLAGGED, flags=()),
        replace(FLAGGED, flags=("-DN=4",)),
        replace(FLAGGED, vm_flags=("x",)),
    ]
    assert len({program.digest for program in programs}) == 4
    # Without flags, the digest is that of earlier releases.
    known = "998006b42c20bfabb70be6dd82edf89048050682ac6f6aa70ce140cbf22a7f29"
    assert Program(source="x = 1\n").digest == known


def test_a_prompt_holds_the_flags() -> None:
    program = replace(FLAGGED, vm_flags=("-ea", "a b"), argv=("x",), stdin="1\n")
    text = prompt(program, Compact())
    assert b"*'x'\n+'-DN=3' '-std=c99'\n^'-ea' 'a b'\n<" in text
    parsed = parse_prompt(text)
    assert isinstance(parsed, Prompt)
    assert (parsed.program.flags, parsed.program.vm_flags) == (program.flags, program.vm_flags)


@pytest.mark.usefixtures("sandbox")
def test_stored_traces_keep_the_flags(tmp_path: Path) -> None:
    require("c")
    trace = record(FLAGGED)
    assert trace.outcome.detail == "3"
    assert parse("".join(encode(trace))).program == FLAGGED
    with shards.ShardWriter(tmp_path / "rows", fingerprint={}) as writer:
        writer.add(trace)
    assert [stored.program for stored in shards.read(tmp_path / "rows")] == [FLAGGED]


@pytest.mark.usefixtures("sandbox")
def test_a_stored_run_is_checked_with_its_flags(tmp_path: Path) -> None:
    require("c")
    path, store = tmp_path / "a.c", str(tmp_path / "store")
    path.write_text(FLAGGED.source)
    ran("record", str(path), "--flag=-DN=3", "-o", store)
    result = ran("record", str(path), "--expect", store)
    assert result.exit_code == 0, result.output
    assert "flags -DN=3" in ran("show", store).output


def rows(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_rows_of_a_suite_carry_flags(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text(rows({"source": FLAGGED.source, "language": "c", "flags": ["-DN=3"]}))
    (task,) = load(data=path).tasks
    assert task.program.flags == ("-DN=3",)
    with pytest.raises(UsageError, match="row 1: --flag=-O3: gcc does not get this flag"):
        rows_suite([{"source": FLAGGED.source, "language": "c", "flags": ["-O3"]}])
    with pytest.raises(UsageError, match="`vm_flags` is not a list of texts"):
        rows_suite([{"source": FLAGGED.source, "language": "c", "vm_flags": "-ea"}])


def test_the_cache_tells_programs_with_other_flags_apart() -> None:
    chain = toolchain.Toolchain("c", toolchain.KINDS["c"], "12", (("gcc", "/usr/bin/gcc"),), ())
    spec: dict[str, Any] = {"name": "a.c", "source": "", "call": None, "files": {}, "flags": []}
    assert artefact.key(chain, spec) != artefact.key(chain, spec | {"flags": ["-DN=3"]})


def test_the_options_of_a_command_reach_the_program(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(FLAGGED.source)
    assert load_program(path, flags=("-DN=3", "-std=c99")) == FLAGGED
    for command in ("record", "debug", "view", "encode", "imagine", "ask", "futures", "cost"):
        output = ran(command, "--help").output
        assert output.count("--flag FLAG") == output.count("--vm-flag FLAG") == 1, command
