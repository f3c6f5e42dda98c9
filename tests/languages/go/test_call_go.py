"""Calls of functions: arguments become Go values of the parameters' types, or the call is refused with the reason."""

from __future__ import annotations

from collections.abc import Iterator

import go_runs
import pytest

pytestmark = [pytest.mark.usefixtures("sandbox"), pytest.mark.skipif(not go_runs.HAS_GO, reason="there is no Go")]
SOURCE = """package lib

import "fmt"

type Point struct {
	X, y int
}
type Node struct {
	next  *Node
	value int
}
type Names []string

func total(xs []float64) (sum float64) {
	for _, x := range xs {
		sum += x
	}
	return
}
func count(m map[string][]int, keys map[rune]bool) int { return len(m) + len(keys) }
func move(p Point, by *Point) Point                     { p.X += by.X; p.y += by.y; return p }
func length(n *Node) int {
	if n == nil {
		return 0
	}
	return 1 + length(n.next)
}
func join(sep string, names ...string) string { return fmt.Sprint(len(sep), names) }
func small(b byte, ok bool, grid [2][2]int) (int, error) {
	return int(b) + grid[1][0], nil
}
func largest[T int | float64 | string](xs []T) T {
	best := xs[0]
	for _, x := range xs {
		if x > best {
			best = x
		}
	}
	return best
}
func anything(v any) string { return fmt.Sprintf("%T", v) }
func text(data []byte, names Names) string { return string(data) + names[0] }
func main() { panic("not called") }
func fails(n int) int { return 1 / n }
"""


@pytest.fixture(scope="module")
def recorder() -> Iterator[go_runs.GoRecorder]:
    with go_runs.recorder() as opened:
        yield opened


@pytest.mark.parametrize(
    ("call", "value"),
    [
        ("total([1, 2.5])", "3.5"),
        ("count({'a': [1], 'b': []}, {97, 98})", "4"),
        ("move((1, 2), {'X': 5})", "Point(X=6, y=2)"),
        ("length(None)", "0"),
        ("length({'next': {'value': 2}})", "2"),
        ("join('ab')", "'2 []'"),
        ("join('é', 'x', 'y')", "'2 [x y]'"),
        ("small(255, True, [[1, 2], [3, 4]])", "(258, None)"),
        ("largest(['b', 'c', 'a'])", "'c'"),
        ("largest([1, 3])", "3"),
        ("anything([1, 'a'])", "'[]interface {}'"),
        ("anything({'a': 1})", "'map[string]int'"),
        ("text(b'\\xff', ['z'])", r"b'\xffz'"),
    ],
)
def test_a_call_returns(recorder: go_runs.GoRecorder, call: str, value: str) -> None:
    trace = recorder.record(SOURCE, call=call)
    assert (trace.outcome.kind, trace.outcome.detail) == ("returned", value), trace.stderr
    go_runs.check(trace, recorder.flow(trace))
    assert trace.frames[0].name == call.partition("(")[0]


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("missing(1)", "there is no function missing"),
        ("total(1)", "argument 1 of total: the number 1 is not a []float64"),
        ("total([1], 2)", "total takes 1 arguments, not 2"),
        ("small(256, True, [[1, 2], [3, 4]])", "argument 1 of small: the number 256 is not a byte"),
        ("small(1, True, [[1, 2]])", "argument 3 of small: a list of 1 items is not a [2][2]int"),
        ("move((1, 2), {'Z': 5})", "argument 2 of move: Point has no field Z"),
        ("join(1)", "argument 1 of join: the number 1 is not a string"),
    ],
)
def test_a_call_that_does_not_fit(recorder: go_runs.GoRecorder, call: str, why: str) -> None:
    trace = recorder.record(SOURCE, call=call)
    assert (trace.outcome.kind, trace.outcome.detail) == ("unsupported", f"call: {why}")


def test_a_call_that_panics(recorder: go_runs.GoRecorder) -> None:
    trace = recorder.record(SOURCE, call="fails(0)")
    assert (trace.outcome.kind, trace.outcome.detail) == ("raised", "runtime.Error('integer divide by zero')")


def test_main_can_be_called_too(recorder: go_runs.GoRecorder) -> None:
    trace = recorder.record(SOURCE, call="main()")
    assert (trace.outcome.kind, trace.outcome.detail) == ("raised", "'not called'")
