"""The guide of programs that are not Python: true runs pass with a flow table, impossible lines do not."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from foreign_runs import BRACED, LANGUAGES, foreign_run

from worldline.analyze.flow.table import LARGEST, FlowTable, flows_of, read_table
from worldline.codec.compact.guide.guide import Guide, ImpossibleByte
from worldline.codec.compact.prompt import Compact
from worldline.codec.compact.writer import encode_steps
from worldline.core.errors import FormatError
from worldline.core.program import Program

pytestmark = pytest.mark.unit

MODES = [Compact(), Compact(delta="element"), Compact(reveal=0), Compact(reveal=3), Compact(same=True, bare=True)]


def table_of(language: str) -> FlowTable:
    return read_table(json.dumps(foreign_run(language).table).encode())


def behind(language: str, steps: bytes, *, table: bool = True, guard: bool = True) -> Guide:
    """The guide behind the beginning of a run."""
    run = foreign_run(language)
    guide = Guide(run.program, guard=guard, table=table_of(language) if table else None)
    guide.feed_all(run.steps[: run.steps.index(steps) + len(steps)] if steps else b"")
    return guide


def passes(guide: Guide, text: bytes) -> bool:
    try:
        guide.fork().feed_all(text)
    except ImpossibleByte:
        return False
    return True


@pytest.mark.sampled(20)
@pytest.mark.parametrize("options", MODES)
@pytest.mark.parametrize("has_table", [True, False])
@pytest.mark.parametrize("guard", [True, False])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_true_run_passes(language: str, guard: bool, has_table: bool, options: Compact) -> None:
    run = foreign_run(language)
    guide = Guide(run.program, options, guard=guard, table=table_of(language) if has_table else None)
    for byte in encode_steps(run.trace, options):
        assert guide.bits >> byte & 1
        guide.feed(byte)
    assert guide.ended


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_impossible_line_is_impossible(language: str) -> None:
    before = behind(language, b"6 i=0\n")
    assert passes(before, b"7\n")
    assert passes(before, b"9\n")
    assert not any(passes(before, b"%d\n" % line) for line in (0, 1, 2, 3, 4, 5, 6, 8, 10, 11))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_run_begins_where_its_call_begins(language: str) -> None:
    start = behind(language, b"")
    assert passes(start, b"(4")
    assert not any(passes(start, b"(%d" % line) for line in (1, 2, 5))


@pytest.mark.parametrize("language", LANGUAGES)
def test_only_functions_are_called_and_only_ends_return(language: str) -> None:
    calls = behind(language, b"7\n")
    assert passes(calls, b"(1 ")
    assert passes(calls, b"(4 ")
    assert not any(passes(calls, b"(%d" % line) for line in (2, 3, 5, 9))
    inside = behind(language, b"2\n")
    assert passes(inside, b")6\n") == (language not in BRACED)
    assert not passes(inside, b"*6\n")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_frame_shows_its_own_names(language: str) -> None:
    here = behind(language, b"5 sum=0\n6")
    assert passes(here, b" sum=1\n")
    assert not passes(here, b" x=1\n")
    assert not passes(here, b" other=1\n")


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_that_are_no_names_are_never_shown(language: str) -> None:
    here = behind(language, b"5 sum=0\n6", guard=False)
    assert passes(here, b" sum=1\n")
    assert not any(passes(here, b" %b=1\n" % word) for word in (b"for", b"return", b"twice"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_a_table_lines_and_words_are_the_bounds(language: str) -> None:
    here = behind(language, b"6 i=0\n", table=False)
    assert all(passes(here, b"%d\n" % line) for line in range(1, 11))
    assert not passes(here, b"11\n")
    assert passes(here, b"7 twice=1\n")
    assert passes(here, b"7 this=1\n")
    assert not passes(here, b"7 other=1\n")


def test_a_source_that_reads_as_python_is_not_read_as_python() -> None:
    source = "x = 1\ny = 2\nfor (x of y) {}\n"
    for text in (source, "x = 1\ny = 2\nz = 3\n"):
        guide = Guide(Program(source=text, name="a.js"), guard=True)
        guide.feed_all(b"(0\n1\n")
        assert passes(guide, b"3\n")
        assert passes(guide, b"1\n")
        assert not passes(guide, b"4\n")


@pytest.mark.parametrize(
    ("language", "name", "begins"),
    [
        ("js", "<module>", {0, 1}),
        ("rust", "main", {4}),
        ("go", "main", {4}),
        ("c", "main", {4}),
        ("cpp", "main", {1, 4}),
        ("java", "Main.main", {4}),
    ],
)
def test_a_script_begins_with_its_main(language: str, name: str, begins: set[int]) -> None:
    table = foreign_run(language).table
    table["functions"][1]["name"] = name
    if name == "<module>":
        table["functions"][1]["line"] = 0
    program = replace(foreign_run(language).program, call=None)
    guide = Guide(program, guard=True, table=read_table(json.dumps(table).encode()))
    assert {line for line in range(11) if passes(guide, b"(%d\n" % line)} == begins


def test_a_frame_may_call_before_its_first_line() -> None:
    """A parameter's default value is computed in the frame, before a line of its own."""
    guide = behind("js", b"(4")
    assert passes(guide, b"\n(1 ")  # what was passed is told late


@pytest.mark.parametrize(
    ("name", "word", "steps"),
    [
        ("a.c", "exit(3);", b"(1\n2\n(1\n2\n$3\n.\n"), ("a.c", "_Exit(3);", b"(1\n2\n(1\n2\n.\n"),
        ("a.js", "process.exit(3);", b"(1\n2\n$3\n.\n"), ("a.c", "longjmp(env, 1);", b"(1\n2\n(1\n2\n/\n2\n)0\n.\n"),
        ("A.java", "System.exit(3);", b"(1\n2\n:'a'\n$3\n.\n"), ("a.rs", "std::process::exit(3);", b"(1\n2\n$3\n.\n"),
    ],
)  # fmt: skip
def test_a_run_may_end_in_the_middle_of_a_line(name: str, word: str, steps: bytes) -> None:
    assert passes(Guide(Program(source=f"f\n{word}\n", name=name), guard=True), steps)
    without = Guide(Program(source="f\ng();\n", name=name), guard=True)
    assert passes(without, steps) == name.endswith(".rs")  # any line of Rust may panic


def test_a_rebound_function_may_begin_anywhere() -> None:
    run = foreign_run("js")
    program = replace(run.program, source=run.program.source + "total = twice;\n")
    guide = Guide(program, guard=True, table=table_of("js"))
    assert passes(guide, b"(1")


@pytest.mark.parametrize(
    "data",
    [
        b"", b"[]", b"{}", b"nonsense", b'{"functions": 3}', b'{"functions": [{"name": "f"}]}', b"\xff",
        b'{"functions": [{"name": "f", "line": -1}]}', b'{"functions": [{"name": "f", "line": 1, "next": {"x": [1]}}]}',
        b'{"functions": [{"name": "f", "line": 4294967295}]}',
        b'{"functions": [{"name": "f", "line": 1, "start": [1e9]}]}',
        b'{"functions": ' + b"[" * 100_000,
        b'{"functions": [{"name": "f", "line": 1, "names": [3]}]}', b" " * (LARGEST + 1),
    ],
)  # fmt: skip
def test_an_invalid_table_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError, match="flow table"):
        read_table(data)


def test_functions_of_other_files_are_left_out() -> None:
    told = foreign_run("cpp").table
    for one in told["functions"]:
        one["file"] = "main.cpp"
    told["functions"].append({"name": "g", "line": 2, "file": "/box/work/lib.h", "start": [3]})
    program = replace(foreign_run("cpp").program, files=(("lib.h", "void g();\n"),))
    assert [flow.name for flow in read_table(json.dumps(told).encode(), program).flows] == ["twice", "total"]


def test_an_exception_goes_where_the_table_says() -> None:
    """The word `catch` in the source is no handler: what none is told of ends the frame."""
    run, told = foreign_run("cpp"), foreign_run("cpp").table
    program = replace(run.program, source=run.program.source + "// catch (...)\n")
    for handlers, may in (({}, False), ({"6": [9]}, True)):
        for one in told["functions"]:
            one["handlers"] = handlers if one["name"] == "total" else {}
        guide = Guide(program, guard=True, table=read_table(json.dumps(told).encode(), program))
        guide.feed_all(b"(4\n5\n6\n!E()\n")
        assert passes(guide, b"9\n") == may
        assert not passes(guide, b"2\n")


def test_a_table_is_as_a_guest_wrote_it() -> None:
    found = read_table(b'{"functions": [{"name": "A.f", "line": 3, "start": [4], "next": {"4": [5]}, "returns": [6], '
                       b'"handlers": {"4": [7]}, "names": ["$x"], "more": 1}], "globals": ["g"]}')  # fmt: skip
    (flow,) = found.flows
    assert (flow.owner, flow.name, flow.line, flow.start) == ("A", "f", 3, {4})
    assert dict(flow.next) == {4: {5}, 5: frozenset(), 6: frozenset(), 7: frozenset()}
    assert (dict(flow.handlers), flow.returns, flow.names.visible) == ({4: {7}}, {6}, {"$x"})
    assert found.globals == {"g"}
    assert flows_of(Program(source="def f(): pass\n"), found) != found.flows
    assert flows_of(Program(source="", name="a.c"), found) == found.flows
    assert flows_of(Program(source="def f(): pass\n", name="a.c")) == ()
