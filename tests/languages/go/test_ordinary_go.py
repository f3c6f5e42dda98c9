"""Ordinary programs, each of a part of the language: they end as in a plain run; their steps were read by eye."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import go_runs
import pytest

from worldline.core.trace import Step, Trace

pytestmark = [pytest.mark.usefixtures("sandbox"), pytest.mark.skipif(not go_runs.HAS_GO, reason="there is no Go")]
PROGRAMS = sorted((Path(__file__).parent / "ordinary").glob("*.go"))
STDIN = {"words": "a b A\nc b\na"}


SWITCHES = """package main

import "fmt"

type number int

func three() number { return 3 }

func kind(of any) string {
	switch value := of; value {
	case nil:
		return "nil"
	case 1, "x":
		return "one"
	case "text":
		return "text"
	}
	return "other"
}

func main() {
	fmt.Println(kind(nil), kind(1), kind("text"), kind(1.0))
	sum := 0
	switch n := number(1); n + 2 {
	case 1, 2:
		sum += 100
	case three():
		sum += 3
		fallthrough
	case 4:
		sum += 4
	default:
		sum += 1000
	}
	switch sum > 5 {
	case false:
		sum = 0
	}
	switch sum { case 1: sum = 0 }
	fmt.Println(sum)
}
"""
GLOBALS = """package main

import "fmt"

const size = 2
var first = last + 1
var c, d = both()
var typed float64 = float64(last)
var plain = 7
var made = map[string]int{"a": 1}
var worked = func() int { return 5 }()
var nothing *int = nil

var last = two()

func two() int { return size }

func both() (int, string) { return 4, "d" }

func init() {
	first += 10
}

func init() {
	worked++
}

func main() {
	fmt.Println(first, c, d, typed, plain, made, worked, nothing, last)
}
"""


@pytest.fixture(scope="module")
def recorder() -> Iterator[go_runs.GoRecorder]:
    with go_runs.recorder() as opened:
        yield opened


def record(recorder: go_runs.GoRecorder, name: str) -> Trace:
    source = next(path for path in PROGRAMS if path.stem == name).read_text()
    return recorder.record(source, stdin=STDIN.get(name, ""))


@pytest.mark.sampled(5)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_it_ends_as_in_a_plain_run(recorder: go_runs.GoRecorder, path: Path) -> None:
    trace = record(recorder, path.stem)
    plain = go_runs.plain(path.read_text(), STDIN.get(path.stem, ""))
    assert (trace.output, go_runs.status_of(trace)) == (plain.stdout, plain.status)
    go_runs.check(trace, recorder.flow(trace))
    before, _, _ = plain.stderr.partition("\n\ngoroutine ")
    assert trace.stderr.startswith(before)


def steps_of(trace: Trace, name: str) -> list[list[Step]]:
    """The steps of each frame of a name."""
    frames = [number for number, frame in enumerate(trace.frames) if frame.name == name]
    return [[step for step in trace.steps if step.frame == frame] for frame in frames]


def lines(trace: Trace, name: str) -> list[list[int]]:
    return [[step.line for step in steps] for steps in steps_of(trace, name)]


def changes(source: str, recorder: go_runs.GoRecorder) -> list[tuple[int, dict[str, str], list[str]]]:
    """The line, the changes and the names gone of each line step of a program."""
    trace = recorder.record(f"package main\n\n{source}")
    go_runs.check(trace, recorder.flow(trace))
    return [(step.line, dict(step.delta), list(step.gone)) for step in trace.steps if step.event == "line"]


def test_loops_have_a_step_per_round(recorder: go_runs.GoRecorder) -> None:
    told = changes(
        """func main() {
	sum := 0
	for i := 0; i < 2; i++ {
		sum += i
	}
	for i, x := range []int{7} {
		sum = i + x
	}
	for sum > 6 { sum-- }
	for range "ab" {
	}
}
""",
        recorder,
    )
    assert told == [
        (4, {"sum": "0"}, []),
        (5, {"i": "0"}, []), (6, {}, []), (5, {"i": "1"}, []), (6, {"sum": "1"}, []), (5, {"i": "2"}, []),
        (8, {"i": "0", "x": "7"}, []), (9, {"sum": "7"}, []), (8, {}, []),
        (11, {"sum": "6"}, ["i", "x"]), (11, {}, []),
        (12, {}, []), (12, {}, []), (12, {}, []),
    ]  # fmt: skip
    told = changes(
        """func main() {
	i := 0
	for { i++; if i > 2 { break } }
	for { i++
		if i > 4 { break }
	}
	for {
		i++
		if i > 6 { break }
	}
	outer: for { for { i++; if i == 8 { continue outer }; if i > 8 { break outer } } }
}
""",
        recorder,
    )
    assert told == [
        (4, {"i": "0"}, []),
        (5, {"i": "1"}, []), (5, {"i": "2"}, []), (5, {"i": "3"}, []),
        (6, {"i": "4"}, []), (7, {}, []), (6, {"i": "5"}, []), (7, {}, []),
        (9, {}, []), (10, {"i": "6"}, []), (11, {}, []), (10, {"i": "7"}, []), (11, {}, []),
        (13, {"i": "8"}, []), (13, {"i": "9"}, []),
    ]  # fmt: skip


@pytest.mark.parametrize("line", ["for {", "for ; ; {", "for x < 3 {"])
def test_rounds_on_one_line_have_input_and_output_in_order(recorder: go_runs.GoRecorder, line: str) -> None:
    source = f"""package main

import "fmt"

func main() {{
	x := 0
	{line} fmt.Scan(&x); fmt.Println(x); if x > 2 {{ break }} }}
}}
"""
    trace = recorder.record(source, stdin="1\n2\n3\n4\n")
    go_runs.check(trace, recorder.flow(trace))
    told = [(step.event, step.arg or dict(step.delta)) for step in trace.steps if step.line == 7]
    assert told == [
        ("line", {"x": "1"}), ("input", r"'1\n'"), ("output", r"'1\n'"),
        ("line", {"x": "2"}), ("input", r"'2\n'"), ("output", r"'2\n'"),
        ("line", {"x": "3"}), ("input", r"'3\n'"), ("output", r"'3\n'"), ("return", "None"),
    ]  # fmt: skip


def test_a_range_loop_over_other_variables(recorder: go_runs.GoRecorder) -> None:
    told = changes(
        """func main() {
	var i, sum, x int
	for i, x = range []int{5, 6} {
		sum += x
	}
	for i = range "ab" {
		sum++
	}
	for i := range "ab" { sum += i }
	for i = range "abc" { sum-- }
	_ = i
}
""",
        recorder,
    )
    assert told == [
        (4, {"i": "0", "sum": "0", "x": "0"}, []),
        (5, {"x": "5"}, []), (6, {"sum": "5"}, []), (5, {"i": "1", "x": "6"}, []), (6, {"sum": "11"}, []), (5, {}, []),
        (8, {"i": "0"}, []), (9, {"sum": "12"}, []), (8, {"i": "1"}, []), (9, {"sum": "13"}, []), (8, {}, []),
        (11, {"i": "0"}, []), (11, {"i": "1", "sum": "14"}, []), (11, {}, []),
        (12, {"i": "0", "sum": "13"}, []), (12, {"i": "1", "sum": "12"}, []), (12, {"i": "2", "sum": "11"}, []),
        (12, {}, []), (13, {}, []),
    ]  # fmt: skip


def test_an_inner_variable_hides_an_outer_one(recorder: go_runs.GoRecorder) -> None:
    told = changes(
        """func main() {
	x := 1
	if x := "s"; x != "" {
		x := 2.5
		x++
	}
	x = 3
	_ = x
}
""",
        recorder,
    )
    assert told == [
        (4, {"x": "1"}, []), (5, {"x": "'s'"}, []), (6, {"x": "2.5"}, []), (7, {"x": "3.5"}, []),
        (9, {"x": "3"}, []), (10, {}, []),
    ]  # fmt: skip


def test_conditions_of_a_switch_have_steps(recorder: go_runs.GoRecorder) -> None:
    trace = record(recorder, "control")
    assert lines(trace, "classify") == [[5, 6, 7, 8, 8], [5, 6, 7, 9, 10, 10], [5, 6, 7, 9, 12, 13, 15, 18, 18]]


def test_cases_of_a_switch_with_a_value_are_tried_in_order(recorder: go_runs.GoRecorder) -> None:
    """Also cases that call, compare an interface, or fall through; a case on the line of its switch has no step."""
    trace = recorder.record(SWITCHES)
    go_runs.check(trace, recorder.flow(trace))
    called = [step.frame for step in trace.steps if step.event == "call" and trace.frames[step.frame].name == "kind"]
    told = [[step.line for step in trace.steps if step.frame == frame and step.event == "line"] for frame in called]
    assert told == [[10, 11, 12], [10, 11, 13, 14], [10, 11, 13, 15, 16], [10, 11, 13, 15, 18]]
    assert trace.output == go_runs.plain(SWITCHES).stdout == "nil one text other\n7\n"


def test_variables_of_the_package_and_init_have_steps(recorder: go_runs.GoRecorder) -> None:
    """In the order of their dependencies; a constant has none, and a call records none of them."""
    trace = recorder.record(GLOBALS)
    go_runs.check(trace, recorder.flow(trace))
    assert trace.output == go_runs.plain(GLOBALS).stdout
    frames = [(frame.name, frame.parent) for frame in trace.frames]
    assert frames == [
        ("init", -1), ("both", 0), ("func1", 0), ("two", 0), ("init", -1), ("init", -1), ("main", -1),
    ]  # fmt: skip
    first = [step for step in trace.steps if step.frame == 0]
    assert [(step.line, step.delta) for step in first] == [
        (7, {}), (7, {"c": "4", "d": "'d'"}), (10, {"made": "{'a': 1}"}), (11, {"worked": "5"}), (14, {"last": "2"}),
        (6, {"first": "3"}), (8, {"typed": "2.0"}), (8, {}),
    ]  # fmt: skip
    inits = [[step.delta for step in trace.steps if step.frame == frame] for frame in (4, 5)]
    assert inits == [[{"first": "3"}, {"first": "13"}, {}], [{"worked": "5"}, {"worked": "6"}, {}]]
    called = recorder.record(GLOBALS, call="two()")
    assert [frame.name for frame in called.frames] == ["two"]
    assert called.outcome.detail == "2"


def test_files_are_initialised_by_their_names(recorder: go_runs.GoRecorder) -> None:
    other = "package main\n\nvar other = len(text) + made\n\nvar text = string([]byte{'a', 'b'})\n"
    source = "package main\n\nvar made = one()\n\nfunc one() int { return 1 }\n\nfunc main() { println(other) }\n"
    trace = recorder.record(source, files=(("other.go", other),))
    go_runs.check(trace, recorder.flow(trace))
    roots = [(frame.name, frame.file) for frame in trace.frames if frame.parent < 0]
    assert roots == [("init", "other.go"), ("init", "program.go"), ("init", "other.go"), ("main", "program.go")]
    assert trace.stderr == "3\n"


def test_a_panic_while_the_program_starts(recorder: go_runs.GoRecorder) -> None:
    """In `init` it is raised; in a value of the package nobody can say that no library recovers it."""
    raised = recorder.record("package main\n\nfunc init() {\n\tpanic(1)\n}\n\nfunc main() {\n}\n")
    assert (raised.outcome.kind, raised.outcome.detail, raised[-1].event) == ("raised", "1", "raise")
    source = "package main\n\nvar a = fail()\n\nfunc fail() int {\n\tpanic(1)\n}\n\nfunc main() {\n\t_ = a\n}\n"
    ended = recorder.record(source)
    assert (ended.outcome.kind, ended.outcome.detail, ended[-1].event) == ("exited", "2", "raise")
    assert trace_events(ended) == ["call", "line", "call", "line", "raise"]


def trace_events(trace: Trace) -> list[str]:
    return [step.event for step in trace.steps]


def test_a_panic_is_raised_before_what_is_deferred(recorder: go_runs.GoRecorder) -> None:
    trace = record(recorder, "defers")
    third = steps_of(trace, "risky")[2]
    assert [(step.event, step.line) for step in third][-3:] == [("line", 30), ("raise", 30), ("return", 30)]
    assert third[-1].arg == "('recovered', failure#1(code=2))"
    raised = next(step.i for step in third if step.event == "raise")
    called = [
        step.i for step in trace.steps if step.event == "call" and trace.frames[step.frame].parent == third[0].frame
    ]
    assert raised < min(called)
    (both,) = steps_of(trace, "again")
    assert [step.arg for step in both if step.event == "raise"] == [
        "errorString('first')", "errorString('second')",
    ]  # fmt: skip
    assert both[-1].arg == "wrapError('again: second', err=errorString('second'))"
    assert trace.outcome.detail == "'end 0'"


def test_values(recorder: go_runs.GoRecorder) -> None:
    trace = record(recorder, "numbers")
    newest: dict[str, str] = {}
    for step in trace.steps:
        if step.depth == 0:
            newest.update(step.delta)
    assert newest | {"nan": "", "big": ""} == {
        "i8": "-128", "u8": "4", "u64": "0", "f32": "0.30000001192092896", "inf": "-inf", "nan": "", "zero": "-0.0",
        "c": "complex(-3.0, -4.0)", "r": "234", "temp": "36.6", "day": "1", "shifted": "-5", "bits": "9", "big": "",
        "tiny": "1e-07", "huge": "1e+21",
    }  # fmt: skip
    assert newest["big"].endswith("(354224848179261915075)")
    assert newest["nan"] == "nan(7ff8000000000001)"


def test_shared_and_cyclic_values(recorder: go_runs.GoRecorder) -> None:
    trace = record(recorder, "linked")
    told = {value for step in trace.steps for value in step.delta.values()}
    assert "[#1[1, 7], #1]" in told
    assert "#1[1, #1]" in told
    assert "struct(name='x', tags={'t': struct()})" in told
    assert any(value.endswith("(['zero', 1])") for value in told)


def test_a_captured_variable_is_shown_when_a_closure_is_called(recorder: go_runs.GoRecorder) -> None:
    trace = record(recorder, "control")
    assert [steps[0].delta for steps in steps_of(trace, "collect.func1")] == [
        {"i": "0"}, {"i": "0"}, {"i": "1"}, {"i": "10"},
    ]  # fmt: skip


def test_a_closure_shows_what_it_captures(recorder: go_runs.GoRecorder) -> None:
    trace = record(recorder, "closures")
    told = [step.delta["next"] for step in trace.steps if "next" in step.delta]
    assert told == [
        f"function#1(<function counter.func1>, n={n}, step=2, t=T(n={t}), name='ab')"
        for n, t in ((0, 0), (2, 1), (4, 2), (0, -2))
    ]
    (recursive,) = [
        step.delta["fib"] for step in trace.steps if step.delta.get("fib", "None") != "None" and not step.depth
    ]
    assert recursive == "function#4(<function main.func1>, fib=function#4)"


def test_input_and_output_are_in_order(recorder: go_runs.GoRecorder) -> None:
    source = """package main

import "fmt"

func main() {
	var a, b int
	fmt.Print("a? ")
	fmt.Scan(&a)
	fmt.Print("b? ")
	fmt.Scan(&b)
	fmt.Println(a + b)
}
"""
    trace = recorder.record(source, stdin="1 2\n")
    told = [(step.event, step.arg) for step in trace.steps if step.event in ("input", "output")]
    assert told == [
        ("output", "'a? '"), ("input", "'1 '"), ("output", "'b? '"), ("input", r"'2\n'"), ("output", r"'3\n'"),
    ]  # fmt: skip
    assert [entry.kind for entry in trace.hidden] == ["input", "input"]


def test_who_shares_an_array(recorder: go_runs.GoRecorder) -> None:
    trace = recorder.record("""package main

func main() {
	a := []int{1, 2, 3}
	b := a[1:]
	c := append([]int(nil), a...)
	m := map[string]int{}
	n := m
	p := &c
	q := p
	b[0], n["x"], (*q)[0] = 5, 1, 9
	b = nil
}
""")
    told = [step.same for step in trace.steps if step.same]
    assert told == [{"b": "a"}, {"n": "m"}, {"q": "p"}, {"b": None}]


def test_goroutines_are_noted(recorder: go_runs.GoRecorder) -> None:
    source = """package main

import "sync"

func add(n *int, wg *sync.WaitGroup) {
	*n += 2
	wg.Done()
}

func main() {
	var wg sync.WaitGroup
	n := 1
	wg.Add(1)
	go add(&n, &wg)
	wg.Wait()
	n++
}
"""
    trace = recorder.record(source)
    assert "threads" in trace.notes
    assert [frame.name for frame in trace.frames] == ["main"]
    assert [step.delta["n"] for step in trace.steps if "n" in step.delta] == ["1", "3", "4"]


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("package main\n\nfunc main() {\n\tx := 1\n}\n", r"line 4: (x declared but not used|declared and not used: x)"),
        ('package main\n\nimport "os"\n\nfunc main() {}\n', 'line 3: "os" imported (but|and) not used'),
        ("package main\n\nfunc main() {\n\tvar s string = 1\n\t_ = s\n}\n", "line 4: cannot use 1"),
        ("package main\n\nfunc main() {\n\tif {\n}\n", "line 4: missing condition in if statement"),
        ('package main\n\nimport "example.com/x"\n\nfunc main() { x.F() }\n', "line 3: could not import example.com/x"),
        ("package lib\n", "package lib is not main: call one of its functions"),
        ("package main\n", "function main is undeclared in the main package"),
    ],
)
def test_a_compiler_error_names_its_line(recorder: go_runs.GoRecorder, source: str, why: str) -> None:
    trace = recorder.record(source)
    assert trace.outcome.kind == "unsupported"
    assert re.match(f"source: {why}", trace.outcome.detail), trace.outcome
    assert len(trace) == 0


def test_other_files_of_the_package_are_recorded(recorder: go_runs.GoRecorder) -> None:
    source = "package main\n\nfunc main() {\n\ttwice(2)\n}\n"
    util = "package main\n\nfunc twice(x int) int {\n\treturn 2 * x\n}\n"
    trace = recorder.record(source, files=(("util.go", util),))
    assert [(frame.name, frame.file) for frame in trace.frames] == [("main", "program.go"), ("twice", "util.go")]
    broken = recorder.record(source, files=(("util.go", util.replace("x int", "x y")),))
    assert broken.outcome.detail.startswith("source: util.go, line 3: ")


def test_integers_of_all_lengths(recorder: go_runs.GoRecorder) -> None:
    powers = [sign * (10**power - less) for power in range(19) for less in (0, 1) for sign in (1, -1)]
    values = [*powers, 2**63 - 1, -(2**63)]
    text = ", ".join(map(str, values))
    trace = recorder.record(f"package main\n\nfunc main() {{\n\txs := []int{{{text}}}\n\txs[0]++\n}}\n")
    values[0] += 1
    assert [step.delta["xs"] for step in trace.steps if "xs" in step.delta] == [f"[{text}]", str(values)]


def test_changes_between_characters_of_several_bytes(recorder: go_runs.GoRecorder) -> None:
    text = "äé漢😀" * 60
    source = f'package main\n\nfunc main() {{\n\ts := "{text}"\n\ts = s[:18] + "ß" + s[18:]\n\t_ = s\n}}\n'
    trace = recorder.record(source)
    whole = text.encode()
    changed = (whole[:18] + "ß".encode() + whole[18:]).decode()
    assert [step.delta["s"] for step in trace.steps if "s" in step.delta] == [repr(text), repr(changed)]
