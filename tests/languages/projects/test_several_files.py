"""Programs of several files in each language, by the command line: what is compiled, and the file of each step."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from worldline.analyze.flow.table import read_table
from worldline.cli import cli
from worldline.codec.compact.guide.guide import Guide
from worldline.codec.compact.prompt import Compact
from worldline.codec.compact.writer import encode_steps
from worldline.core.errors import NotStarted
from worldline.data.program_file import load_program
from worldline.recording.languages import toolchain
from worldline.recording.languages.named import named_by
from worldline.recording.recorder import flow_of, record

pytestmark = pytest.mark.usefixtures("sandbox")
HERE = Path(__file__).parent
PROGRAMS = {
    "c": ("two/main.c", ("two/util.c",)),
    "cpp": ("two/main.cpp", ("two/util.cpp",)),
    "rust": ("two/main.rs", ("two/util.rs",)),
    "go": ("two/main.go", ("two/util.go",)),
    "java": ("two/Main.java", ("two/Util.java",)),
    "js": ("two/main.js", ("two/util.js",)),
    "ts": ("two/main.ts", ("two/helper.ts",)),
}


def require(language: str) -> None:
    if isinstance(missing := toolchain.find(language), str):
        pytest.skip(missing)


def ran(*words: str) -> Result:
    return CliRunner().invoke(cli, words, catch_exceptions=False)


def trace_of(*words: str) -> dict[str, Any]:
    result = ran("record", *words, "--json")
    assert result.exit_code == 0, result.output
    trace: dict[str, Any] = json.loads(result.stdout)
    return trace


def calls(trace: dict[str, Any]) -> list[tuple[str, str]]:
    """The file and name of each frame."""
    return [(frame["file"], frame["name"].rpartition(".")[2]) for frame in trace["frames"]]


@pytest.mark.parametrize("language", PROGRAMS)
def test_a_second_source_is_compiled_and_its_steps_are_recorded(language: str) -> None:
    require(language)
    main, others = PROGRAMS[language]
    files = [word for path in others for word in ("--file", str(HERE / path))]
    trace = trace_of(str(HERE / main), *files)
    assert (trace["outcome"]["kind"], trace["output"]) == ("returned", "8\n")
    name = Path(others[0]).name
    (frame,) = [
        frame for frame in trace["frames"] if (frame["file"], frame["name"].rpartition(".")[2]) == (name, "twice")
    ]
    steps = [step for step in trace["steps"] if step["frame"] == frame["serial"]]
    assert [step["event"] for step in steps] == ["call", *["line"] * (len(steps) - 2), "return"]
    assert steps[0]["delta"] == {"n": "4"}
    assert steps[-1]["arg"] == "8"


@pytest.mark.parametrize("language", PROGRAMS)
def test_the_table_says_which_file_a_step_is_of(language: str) -> None:
    require(language)
    main, others = PROGRAMS[language]
    files = [word for path in others for word in ("--file", str(HERE / path))]
    output = ran("record", str(HERE / main), *files).output
    assert re.search(rf"^ +\d+ +{re.escape(Path(others[0]).name)}:\d+  .*call (Util\.)?twice", output, re.MULTILINE), (
        output
    )
    assert f" {Path(main).name}:" in output


def test_a_program_of_one_file_has_plain_line_numbers() -> None:
    require("c")
    assert "main.c:" not in ran("record", str(HERE / "one.c")).output


def test_a_single_step_of_another_file_says_so(tmp_path: Path) -> None:
    require("c")
    ran("record", str(HERE / "two/main.c"), "--file", str(HERE / "two/util.c"), "-o", str(tmp_path / "traces"))
    assert "util.c, line 3" in ran("show", str(tmp_path / "traces"), "--step", "3").output
    assert "util.c" not in ran("show", str(tmp_path / "traces"), "--step", "1").output.splitlines()[0]


def test_headers_of_a_second_source_come_with_it() -> None:
    program = load_program(HERE / "units/main.cpp", data=[str(HERE / "units/shape.cpp"), str(HERE / "units/plain.c")])
    assert [name for name, _ in program.files] == ["limits.h", "plain.c", "shape.cpp", "shape.hpp"]


def test_headers_in_the_folder_of_a_flag_are_found(tmp_path: Path) -> None:
    require("c")
    for name, text in {
        "main.c": "#include <stdio.h>\n#include <deep/a.h>\nint main(void) { return A + B; }\n",
        "include/deep/a.h": '#include "b.h"\n#define A 1\n#include <c.h>\n',
        "include/deep/b.h": "#define B 2\n",
        "include/c.h": "",
        "include/unused.h": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    program = load_program(tmp_path / "main.c", flags=["-Iinclude", "-I.."])
    assert [name for name, _ in program.files] == ["include/c.h", "include/deep/a.h", "include/deep/b.h"]
    assert record(program).outcome.detail == "3"


def test_units_share_types_and_keep_their_own_static_variables() -> None:
    """Containers and objects passed between files are shown alike, and `count` is another variable in each file."""
    require("cpp")
    program = load_program(HERE / "units/main.cpp", data=[str(HERE / "units/shape.cpp"), str(HERE / "units/plain.c")])
    trace = record(program)
    assert (trace.outcome.kind, trace.output) == ("returned", "12 18 103\nnegative\n")
    passed = [step.delta for step in trace.steps if step.event == "call"]
    assert passed[1] == {"shapes": "[Shape#1(side=1), Shape#2(side=2)]"}
    assert {"this": "Shape#1(side=1)"} in passed  # a method in a header that both files include
    counts = [(trace.frames[step.frame].file, step.delta["count"]) for step in trace.steps if "count" in step.delta]
    assert counts == [("shape.cpp", "1"), ("shape.cpp", "2"), ("plain.c", "103")]
    assert [step.event for step in trace.steps if "runtime_error" in (step.arg or "")] == ["raise", "raise"]


def test_a_source_that_another_includes_is_not_compiled_twice() -> None:
    require("c")
    trace = trace_of(str(HERE / "included/main.c"), "--file", str(HERE / "included/part.c"))
    assert (trace["outcome"]["kind"], calls(trace)) == ("returned", [("main.c", "main"), ("part.c", "answer")])


def test_a_call_may_be_of_a_function_in_another_file() -> None:
    require("c")
    trace = trace_of(str(HERE / "two/main.c"), "--file", str(HERE / "two/util.c"), "--call", "twice(21)")
    assert (calls(trace), trace["steps"][-1]["arg"]) == ([("util.c", "twice")], "42")


def test_the_flow_of_each_file_is_known() -> None:
    require("c")
    flow = flow_of(load_program(HERE / "two/main.c", data=[str(HERE / "two/util.c")]))
    functions = json.loads(flow or b"")["functions"]
    assert {(row["name"], row["file"]) for row in functions} == {("main", "main.c"), ("twice", "util.c")}


@pytest.mark.parametrize(
    ("main", "others"),
    [
        *PROGRAMS.values(),
        ("units/main.cpp", ("units/shape.cpp", "units/plain.c")),
        ("modules/main.rs", ()),
        ("packages/Main.java", ()),
    ],
)
def test_a_model_can_write_every_step_of_a_true_trace(main: str, others: tuple[str, ...]) -> None:
    """The control flow of every file holds: the guide accepts the text of the recording."""
    program = load_program(HERE / main, data=[str(HERE / path) for path in others])
    require(program.language)
    trace, flow = record(program), flow_of(program)
    assert flow is not None
    guide = Guide(program, Compact(), guard=True, table=read_table(flow, program))
    guide.feed_all(encode_steps(trace, Compact()))
    assert guide.ended


def test_moves_and_loops_in_a_module_of_rust_are_those_of_its_own_lines() -> None:
    """The same lines hold other loops and moves in the main file."""
    require("rust")
    trace = record(load_program(HERE / "modules/main.rs"))
    assert (trace.outcome.kind, trace.output) == ("returned", "6 abc\n")
    serial = next(frame.serial for frame in trace.frames if frame.name == "gather")
    steps = [step for step in trace.steps if step.frame == serial]
    assert [step.line for step in steps if step.event == "line"] == [2, 3, 4, 5, 4, 5, 4, 5, 4, 7, 8]
    assert [step.line for step in steps if "words" in step.gone] == [7]


def test_classes_beside_a_java_file_are_found() -> None:
    """Those of its package and of what it imports, not those of the same name as its own or as an import."""
    require("java")
    program = load_program(HERE / "packages/Main.java")
    assert [name for name, _ in program.files] == ["Peer.java", "util/Helper.java", "util/Util.java"]
    trace = record(program)
    assert (trace.outcome.kind, trace.output) == ("returned", "11\n")
    assert [(frame.file, frame.name) for frame in trace.frames][1:3] == [
        ("util/Helper.java", "Helper.sum"),
        ("util/Util.java", "Util.add"),
    ]


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ("class A { B b; C.D d; }", ["B.java", "C.java"]),
        ("class A { /* B */ String s = \"C\"; } // D", ["String.java"]),
        ("package p.q; import p.q.r.B; class A {}", ["r/B.java", "r.java"]),
        ("package p.q; import p.r.*; class A { B b; }", ["B.java", "r/B.java"]),
        ("import static u.B.f; class A { record B() {} }", ["u/B/f.java", "u/B.java"]),
    ],
)  # fmt: skip
def test_what_a_java_source_may_name(source: str, named: list[str]) -> None:
    found = list(named_by("sub/A.java" if "p.r" in source else "A.java", source))
    assert [path.removeprefix("sub/") for path in found] == named


@pytest.mark.parametrize(
    ("main", "other", "message"),
    [
        ("main.c", "util.c", "source: util.c, line 2: expected"),
        ("main.c", "bad.h", "source: bad.h, line 1: "),
        ("main.cpp", "util.cpp", "source: util.cpp, line 2: expected"),
        ("main.rs", "util.rs", "source: util.rs, line 2: "),
        ("Main.java", "Util.java", "source: ';' expected in line 3 of Util.java"),
        ("main.mjs", "util.mjs", "source: SyntaxError in line 2 of util.mjs: "),
        ("main.ts", "helper.ts", "source: SyntaxError in line 2 of helper.ts: "),
    ],
)
def test_an_error_in_a_second_file_names_its_file_and_line(main: str, other: str, message: str, tmp_path: Path) -> None:
    require(load_program(HERE / "two" / main).language)
    broken = (HERE / "broken" / (other + ".txt")).read_text()
    if other == "bad.h":
        (tmp_path / "util.c").write_text('#include "bad.h"\n' + (HERE / "two/util.c").read_text())
        (tmp_path / "bad.h").write_text(broken)
        other = "util.c"
    else:
        (tmp_path / other).write_text(broken)
    (tmp_path / main).write_text((HERE / "two" / main).read_text())
    with pytest.raises(NotStarted) as error:
        ran("record", str(tmp_path / main), "--file", str(tmp_path / other))
    assert f"{main} was not executed: {message}" in str(error.value)


def test_a_required_script_with_an_error_raises_where_it_is_required(tmp_path: Path) -> None:
    """Lines of the program are executed before Node.js reads the other file."""
    require("js")
    (tmp_path / "main.js").write_text("const x = 1;\nrequire('./util.js');\n")
    (tmp_path / "util.js").write_text("return n *;\n")
    trace = trace_of(str(tmp_path / "main.js"))
    assert trace["outcome"]["kind"] == "raised"
    assert trace["steps"][-1]["line"] == 2
