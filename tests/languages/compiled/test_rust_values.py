"""Values of Rust that no other language has: the unit, alone and inside others."""

from __future__ import annotations

import pytest
from warm import recorded

pytestmark = pytest.mark.usefixtures("box")
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
