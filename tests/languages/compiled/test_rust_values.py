"""Values of Rust: the unit, what is returned in memory, and parameters of functions that only return."""

from __future__ import annotations

import pytest
from warm import recorded

from worldline.analyze.flow.table import read_table
from worldline.codec.compact.guide.guide import Guide
from worldline.codec.compact.prompt import Compact
from worldline.codec.compact.writer import encode_steps
from worldline.recording.recorder import flow_of

pytestmark = pytest.mark.usefixtures("sandbox")
UNIT = """fn check(n: i32) -> Result<(), String> {
    if n > 1 {
        return Err(String::from("big"));
    }
    Ok(())
}
fn main() {
    let r = check(1);
    let pair = ((), 3);
    let many = vec![(), ()];
    let u = ();
    println!("{:?} {:?} {:?} {:?}", r, pair, many, u);
}
"""


def test_the_unit_is_the_empty_tuple() -> None:
    trace = recorded(UNIT, "unit.rs")
    assert trace.outcome.kind == "returned", trace.stderr
    shown = {name: value for step in trace.steps for name, value in step.delta.items()}
    assert (shown["r"], shown["pair"], shown["many"], shown["u"]) == ("Ok(())", "((), 3)", "[(), ()]", "()")


RETURNED = """struct Dog {
    name: String,
}
impl Dog {
    fn speak(&self) -> String {
        format!("{} says woof", self.name)
    }
}
fn adder(n: i32) -> impl Fn(i32) -> i32 {
    move |x| x + n
}
fn main() {
    let dog = Dog { name: "Rex".into() };
    let said = dog.speak();
    let add = adder(5);
    println!("{} {}", said, add(1));
}
"""


def test_what_is_returned_in_memory_is_read_where_it_was_made() -> None:
    trace = recorded(RETURNED, "returned.rs")
    returned = [step.arg for step in trace.steps if step.event == "return"]
    assert returned == ["'Rex says woof'", "function#2(<function <closure>>, n=5)", "6", "None"]


def test_a_function_that_only_returns_shows_its_parameters_and_is_in_the_flow_table() -> None:
    trace = recorded(RETURNED, "returned.rs")
    assert [step.delta for step in trace.steps if step.event == "call"][2] == {"n": "5"}
    data = flow_of(trace.program)
    assert data is not None
    guide = Guide(trace.program, Compact(), guard=True, table=read_table(data, trace.program))
    guide.feed_all(encode_steps(trace, Compact()))
    assert guide.ended


def test_a_value_without_a_size_keeps_its_number() -> None:
    source = """trait Speaks {
    fn name(&self) -> &str;
    fn speak(&self) -> String;
}
struct Cat;
impl Speaks for Cat {
    fn name(&self) -> &str { "cat" }
    fn speak(&self) -> String {
        let n = self.name();
        let m = n.len();
        format!("{n}{m}")
    }
}
fn main() {
    let c: Box<dyn Speaks> = Box::new(Cat);
    println!("{}", c.speak());
}
"""
    trace = recorded(source, "cats.rs")
    assert trace.outcome.kind == "returned", trace.stderr
    shown = [step.delta["self"] for step in trace.steps if "self" in step.delta]
    assert shown == ["Cat#1()", "Cat#1()"]


MADE_ELSEWHERE = """struct Point { a: i32, b: i32, c: i32 }
fn triple(x: i32) -> (i32, i32, i32) { (x, 1, 2) }
fn point(x: i32) -> Point { Point { a: x, b: 1, c: 2 } }
fn three(x: i32) -> [i32; 3] { [x, 1, 2] }
fn four(x: i32) -> [i32; 4] { [x, 1, 2, 3] }
fn bytes(x: u8) -> [u8; 3] { [x, 1, 2] }
fn floats(x: f64) -> [f64; 2] { [x, 1.0] }
fn pair(x: i32) -> Option<(i32, i32)> { if x > 3 { Some((x, 1)) } else { None } }
fn nothing(x: i32) -> Option<(i32, i32)> { if x > 9 { Some((x, 1)) } else { None } }
fn main() {
    let p = point(4);
    println!("{:?} {}", triple(4), p.a + p.b + p.c);
    println!("{:?} {:?} {:?} {:?}", three(4), four(4), bytes(4), floats(4.0));
    println!("{:?} {:?}", pair(4), nothing(4));
}
"""


def test_small_results_that_the_callee_writes_into_memory() -> None:
    trace = recorded(MADE_ELSEWHERE, "elsewhere.rs")
    returned = [step.arg for step in trace.steps if step.event == "return"]
    expected = "Point#1(a=4, b=1, c=2);(4, 1, 2);[4, 1, 2];[4, 1, 2, 3];[4, 1, 2];[4.0, 1.0];Some((4, 1));None;None"
    assert returned == expected.split(";")
