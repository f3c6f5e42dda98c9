"""Calls of C++ and Rust functions: the value that is given arrives, or the call is refused with the reason."""

from __future__ import annotations

import pytest
import warm

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Outcome
from worldline.recording.languages import toolchain

pytestmark = pytest.mark.usefixtures("sandbox")
CPP = """#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>
int add(int a, int b) { return a + b; }
int first(const std::vector<int> &xs) { return xs[0]; }
int looked(std::map<std::string, int> m) { return m["a"]; }
int maybe(std::optional<int> x) { return x ? *x : -1; }
char letter(char c) { return c; }
int over(int a) { return a; }
int over(double a) { return a; }
bool all(int *p, std::optional<int> no, std::optional<int> five, std::unique_ptr<int> q, long n, double x,
         std::tuple<int, double> t, std::map<std::string, int> m, unsigned char c, const char *text, char d) {
    return !p && !no && *five == 5 && !q && n == -9223372036854775807 - 1 && x == 3 && std::get<1>(t) == 2.5 &&
           m.at("b") == 6 && c == 200 && std::string(text) == "hey" && d == 'x';
}
int main() {}
"""
RUST = """fn add(a: i32, b: i32) -> i32 { a + b }
fn small(x: u8) -> u8 { x }
fn wide(x: i64) -> i64 { x }
fn copied(xs: &Vec<i32>) -> Vec<i32> {
    let mut copy = xs.to_vec();
    copy[0] = 9;
    copy
}
fn first(xs: &[u8]) -> u8 { xs[0] }
fn main() {}
"""


def outcome(source: str, name: str, call: str) -> Outcome:
    program = Program(source=source, name=name, call=call)
    if isinstance(why := toolchain.find(program.language), str):
        pytest.skip(why)
    return warm.record(program, Limits(wall=120)).outcome


def test_what_is_given_to_cpp_arrives() -> None:
    given = "None, None, 5, None, -9223372036854775808, 3, (1, 2.5), {'a': 5, 'b': 6}, 200, 'hey', 'x'"
    assert outcome(CPP, "a.cpp", f"all({given})") == Outcome("returned", "True")


@pytest.mark.long(reason="four more calls of C++; test_c_call.py refuses the like in C")
@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("nope(1)", "call: there is no function nope"),
        ("add(1)", "call: add takes 2 arguments, and 1 is given"),
        ("add(1, 2, 3)", "call: add takes 2 arguments, and 3 are given"),
        ("over(1)", "call: over is overloaded or a template, and a call cannot say which is meant"),
    ],
)
def test_what_cpp_does_not_have_is_said(call: str, why: str) -> None:
    assert outcome(CPP, "a.cpp", call) == Outcome("unsupported", why)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("call", "argument"),
    [
        ("add(1, 'a')", 2),
        ("add(2.5, 1)", 1),
        ("add(3000000000, 1)", 1),
        ("first(['a'])", 1),
        ("first(None)", 1),
        ("first([2.5])", 1),
        ("looked({'a': 2.5})", 1),
        ("maybe(2.5)", 1),
        ("letter('xy')", 1),
    ],
)
def test_what_does_not_fit_a_parameter_of_cpp_is_refused(call: str, argument: int) -> None:
    found = outcome(CPP, "a.cpp", call)
    name = call.partition("(")[0]
    assert found.kind == "unsupported", found
    assert found.detail.startswith(f"call: argument {argument} of {name} does not fit: "), found
    assert "wl_" not in found.detail


def test_the_programs_own_function_is_called_where_the_library_has_one_of_its_name() -> None:
    source = (
        "#include <algorithm>\n#include <vector>\nusing namespace std;\n"
        "int count(vector<int> xs) { return (int)xs.size(); }\n"
    )
    trace = warm.record(Program(source=source, name="own.cpp", call="count([1, 2, 3])"), Limits(wall=120))
    assert trace.outcome == Outcome("returned", "3"), trace.stderr


def test_an_integer_beyond_64_bits_is_no_argument_of_cpp() -> None:
    found = outcome(CPP, "a.cpp", "add(99999999999999999999, 1)")
    assert found == Outcome("unsupported", "call: 99999999999999999999 has more than 64 bits")


@pytest.mark.long(reason="five more calls of Rust; C and C++ refuse the like in make test")
@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("add(99999999999999999999, 1)", "99999999999999999999 is no i32"),
        ("small(256)", "256 is no u8"),
        ("small(-1)", "-1 is no u8"),
        ("first([1, 300])", "300 is no u8"),
        ("add(1)", "add takes 2 arguments, and 1 is given"),
    ],
)
def test_what_rust_cannot_hold_is_refused(call: str, why: str) -> None:
    assert outcome(RUST, "a.rs", call) == Outcome("unsupported", f"call: {why}")


def test_what_rust_gives_back_in_memory_is_not_what_it_was_given() -> None:
    assert outcome(RUST, "a.rs", "copied([1, 2])") == Outcome("returned", "[9, 2]")


def test_what_is_given_to_rust_arrives() -> None:
    assert outcome(RUST, "a.rs", "wide(-9223372036854775808)") == Outcome("returned", "-9223372036854775808")


def test_a_panic_of_a_called_function_ends_it_as_it_would_a_program() -> None:
    program = Program(
        source="fn fact(n: u8) -> u8 {\n    if n == 0 { 1 } else { n * fact(n - 1) }\n}\n", name="a.rs", call="fact(6)"
    )
    if isinstance(why := toolchain.find(program.language), str):
        pytest.skip(why)
    trace = warm.record(program, Limits(wall=120))
    assert trace.outcome == Outcome("exited", "101")
    assert "attempt to multiply with overflow" in trace.stderr
    assert "__wl" not in trace.stderr
    assert "cannot unwind" not in trace.stderr
    assert trace.steps[-1].event == "raise"
