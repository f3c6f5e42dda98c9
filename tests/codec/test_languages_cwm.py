"""Meta's format of other languages: written without their syntax, read back by text and by flow table."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from foreign_runs import BRACED, LANGUAGES, SOURCES, foreign_run, trace_of

from worldline.analyze.flow.definitions import defined_name, definition_line
from worldline.analyze.flow.functions import Functions
from worldline.analyze.flow.kin import kin
from worldline.analyze.flow.table import FlowTable, read_table
from worldline.codec.cwm import parse as cwm_parse
from worldline.codec.cwm import writer as cwm
from worldline.codec.cwm.equality import ReprEquality
from worldline.codec.cwm.external.reading import entry_of, read
from worldline.codec.cwm.frames import frames
from worldline.codec.cwm.stage import stage, staged
from worldline.codec.cwm.text import MARKER, SPECIAL, listing
from worldline.core.program import Program
from worldline.core.trace import Trace

pytestmark = pytest.mark.unit


def table_of(language: str) -> FlowTable:
    return read_table(json.dumps(foreign_run(language).table).encode())


def read_back(trace: Trace, table: FlowTable | None) -> cwm_parse.CwmPrediction:
    program = trace.program
    entry = 0 if program.call is None else None
    return cwm_parse.parse(cwm.encode(trace), program.source, entry=entry, language=program.language, table=table)


@pytest.mark.parametrize("language", LANGUAGES)
def test_executions_round_trip_with_a_flow_table(language: str) -> None:
    trace = foreign_run(language).trace
    prediction = read_back(trace, table_of(language))
    assert (prediction.malformed, prediction.ended) == (None, True)
    assert list(prediction.frames) == frames(trace)


@pytest.mark.parametrize("language", LANGUAGES)
def test_unambiguous_lines_round_trip_without_a_table(language: str) -> None:
    trace = foreign_run(language).trace
    prediction, wanted = read_back(trace, None), frames(trace)
    assert (prediction.malformed, prediction.ended, len(prediction.frames)) == (None, True, len(wanted))
    texts = listing(trace.program.source, language).lines[1:]
    for got, true in zip(prediction.frames, wanted, strict=True):
        assert (got.event, got.scope, got.locals, got.arg) == (true.event, true.scope, true.locals, true.arg)
        twins = tuple(number for number, text in enumerate(texts, 1) if text == texts[(true.line or 0) - 1])
        assert got.allowed
        assert got.line == true.line if len(twins) == 1 else got.candidates == twins
    assert any(got.candidates for got in prediction.frames) == (language in BRACED)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_called_function_is_marked(language: str) -> None:
    text = cwm.encode(foreign_run(language).trace)
    assert SOURCES[language].split("\n")[3] + f"  {MARKER}\n" in text
    assert text.count(MARKER) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_impossible_line_is_detected(language: str) -> None:
    trace = foreign_run(language).trace
    bad = replace(trace, columns=replace(trace.columns, line=trace.columns.line[:]))
    at = next(i for i, line in enumerate(trace.columns.line) if line == 9)
    bad.columns.line[at] = 5
    prediction = read_back(bad, table_of(language))
    assert not prediction.frames[at].allowed
    assert prediction.frames[at].line == 5


def test_a_module_stands_on_line_zero() -> None:
    program = Program(source="let x = 1;\nx = 2;\n", name="a.js")
    trace = trace_of(program, b"(1\n1 x=1\n2 x=2\n)None\n.\n")
    trace = replace(trace, frames=[replace(trace.frames[0], name="<module>")])
    table = read_table(
        b'{"functions": [{"name": "<module>", "line": 1, "start": [1], "next": {"1": [2]}, "returns": [2]}]}'
    )
    for known in (table, None):
        prediction = read_back(trace, known)
        assert [frame.line for frame in prediction.frames][1:] == [1, 2, 2]
        assert prediction.malformed is None
    assert list(read_back(trace, table).frames) == frames(trace)


def test_names_and_values_stay_as_they_are() -> None:
    """What Python's tracers spell in their own way means itself in another language."""
    program = Program(source="f() {\n  a\n}\n", name="a.cpp", call="f()")
    value = "'<function f at 0x7f>'"
    steps = f"(1 __x__=1\n2 __x__=<Foo> '$y'={value} p=Ptr#1([3, 1], at=1)\n)Circle(1.0)\n.\n"
    trace = trace_of(program, steps.encode())
    assert list(read_back(trace, None).frames) == frames(trace)


def test_a_source_that_reads_as_python_is_not_read_as_python() -> None:
    source = "x = 1\nfor i in range(2):\n    x = 1\n"
    trace = trace_of(Program(source=source, name="a.js"), b"(1\n1 x=1\n3\n2\n1\n)None\n.\n")
    prediction = read_back(trace, None)
    assert all(frame.allowed for frame in prediction.frames)
    assert [frame.line for frame in prediction.frames][1:] == [1, 3, 2, 1, 1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_without_special_tokens_is_read_by_the_table(language: str) -> None:
    trace = foreign_run(language).trace
    text = SPECIAL.sub("", cwm.encode(trace).removeprefix(cwm.prompt_of(trace)))
    prediction = read(text, trace.program, table_of(language))
    assert (prediction.kind, list(prediction.prediction.frames)) == ("whole", frames(trace))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_comment_states_the_call(language: str) -> None:
    program = foreign_run(language).program
    posed = stage(program)
    assert (posed.entry, posed.closing, posed.opening) == (4, None, "")
    assert posed.source == f"{program.source}// {program.call}\n"
    assert staged(staged(program)) == staged(program)
    trace = replace(foreign_run(language).trace, program=staged(program))
    assert cwm.encode(trace).startswith(posed.prompt)
    assert entry_of(program) == 4


def test_values_of_other_languages_are_compared_as_they_are() -> None:
    other, python = ReprEquality("", "cpp"), ReprEquality("")
    true, shown = "Point#1(x=1, y=2)", "Point(x=1)"
    assert python.holds(true, shown)
    assert not other.holds(true, shown)
    assert other.holds("{'a': 1}", "{'a':1}")
    assert other.may_begin("Ptr#1([3, 1], at=1)", "Ptr#1([3, ")
    assert not other.may_begin("Ptr#1([3, 1], at=1)", "Ptr#2(")


@pytest.mark.parametrize("language", LANGUAGES)
def test_functions_are_named_by_their_lines(language: str) -> None:
    names = Functions(foreign_run(language).program)
    function_names = [names.name(None, line, {}, is_first=False) for line in (0, 1, 4, 5, 7, 99, None)]
    assert function_names == ["<module>", "twice", "total", "?", "?", "?", "?"]


@pytest.mark.parametrize(
    ("language", "line", "name"),
    [
        ("js", "async function* go(a) {", "go"), ("js", "const add = (a, b) => a + b;", "add"),
        ("js", "  static make(x) {", "make"), ("js", "  if (x) {", ""), ("js", "xs.map(x => x + 1)", ""),
        ("ts", "const f = async (a: number): Promise<void> => {", "f"), ("rust", "pub fn go<T>(x: T) -> T {", "go"),
        ("rust", "let f = |x| x + 1;", ""), ("java", "    public static void main(String[] args) {", "main"),
        ("java", "  Point(int x) { this.x = x; }", "Point"), ("java", "    int y = f(x);", ""), 
        ("java", "return f(x) {", ""),
        ("c", "static struct node *push(struct node *n, int v)", "push"), ("c", "    push(n, 3);", ""),
        ("cpp", "void Stack::push(int v) {", "push"), ("cpp", "template <class T> T twice(T x) { return x; }", "twice"),
        ("cpp", "Stack::~Stack() {", "~Stack"), ("cpp", "    for (int i = 0; i < n; i++) {", ""),
        ("python", "def f(x):", ""),
        ("go", "func (s *Stack) Push(v int) {", "Push"), ("go", "func Map[T any](xs []T) []T {", "Map"),
        ("go", "    twice := func(x int) int {", "twice"), ("go", "    go worker(3)", ""),
        ("c", "    if (fgets(line, sizeof line, stdin)) {", ""),
        ("java", "        while (it.hasNext()) {", ""),
    ],
)  # fmt: skip
def test_a_line_that_defines_a_function(language: str, line: str, name: str) -> None:
    assert defined_name(line, language) == name


def test_a_name_that_is_defined_twice_is_ambiguous() -> None:
    assert definition_line("int f(int x) {\n}\nint f(double x) {\n}\nint g() {\n", "cpp", "f") is None
    assert definition_line("int f(int x) {\n}\nint f(double x) {\n}\nint g() {\n", "cpp", "g") == 5


KIN = """class A { m() {} }
class B extends A { m() {} }
class C extends mix(A) { m() {} }
class D { m() {} }
"""


def test_the_owners_of_methods_are_certain_or_unknown() -> None:
    assert kin("D", KIN, "js") == {"D"}
    assert kin("B", KIN, "js") == {"B", "A", "extends"}
    assert [kin(name, KIN, "js") for name in ("C", "E")] == [None, None]
    assert kin("D", KIN + "A.prototype.m.call(new D());\n", "js") is None
    assert kin("B", KIN + "A = D;\n", "js") is None
    assert kin("D", KIN, "rust") is None
