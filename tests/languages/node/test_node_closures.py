"""A JavaScript closure that is only a value shows what it captured, and reading it calls nothing of the program's."""

from __future__ import annotations

from pathlib import Path

import pytest
from node_runs import as_in_a_plain_run, faults, plain, program
from test_node_scopes import series

from worldline.core.trace import Trace
from worldline.recording.recorder import SandboxWorker

pytestmark = pytest.mark.usefixtures("sandbox")


def run(recorder: SandboxWorker, source: str) -> Trace:
    script = program(source)
    trace = recorder.record(script)
    assert trace.outcome.kind == "returned", (trace.outcome, trace.stderr)
    assert faults(trace, recorder.in_language(script.language).flow(script)) == []
    return trace


def values(trace: Trace, frame: str, name: str) -> list[str]:
    """The values of a name in the frames of a function."""
    return [step.delta[name] for step in trace.steps if name in step.delta and trace.frames[step.frame].name == frame]


@pytest.mark.parametrize(
    ("made", "changed", "wanted"),
    [
        ("((n) => () => ++n)(0)", "v()", ["n=0", "n=1"]),
        ("((n) => [() => ++n])(0)", "v[0]()", ["n=0", "n=1"]),
        ("((n) => ({ up() { n++; } }))(0)", "v.up()", ["n=0", "n=1"]),
        ("((n) => ({ get: () => ++n }))(0)", "v.get()", ["n=0", "n=1"]),
        ("((n) => { const up = () => ++n; return () => up(); })(0)", "v()", ["n=0", "n=1"]),
        ("((n) => (k = f(n)) => n += k)(0)", "v(3)", ["n=0", "n=3"]),
        ("((n) => ({ a = f(n), b: [c] }) => n += c)(0)", "v({ a: 1, b: [3] })", ["n=0", "n=3"]),
        ("((n) => function* items(k = f(n)) {\n    yield ++n;\n  })(0)", "v(1).next()", ["n=0", "n=1"]),
        ("((n) => async () => ++n)(0)", "v()", ["n=0", "n=1"]),
        ("((n) => async function* items() {\n    yield ++n;\n  })(0)", "v().next()", ["n=0", "n=1"]),
        ("new (class A { n = 0; up = () => ++this.n; })().up", "v()", ["n=0", "n=1"]),
        ("((list) => () => list.push(1))([])", "v()", ["list=[]", "list=[1]"]),
        ("((n) => { const f = () => ++n; f.count = 0; return f; })(0)", "v.count += 2", ["count=0", "count=2"]),
    ],
)  # fmt: skip
def test_a_change_of_what_a_closure_captured_is_shown(
    recorder: SandboxWorker, made: str, changed: str, wanted: list[str]
) -> None:
    body = f"  const v = {made};\n  {changed};\n  return 0;\n"
    trace = run(recorder, f"function f() {{\n  console.log('computed');\n}}\nfunction g() {{\n{body}}}\ng();\n")
    shown = values(trace, "g", "v")
    assert len(shown) == len(wanted)
    assert all(state in value for state, value in zip(wanted, shown, strict=True)), shown
    assert trace.output == ""


def test_a_variable_that_a_value_captured_may_be_written_anywhere(recorder: SandboxWorker) -> None:
    source = "function g() {\n  const list = [() => n];\n  let n = 1;\n  n = 2;\n  return list;\n}\ng();\n"
    head = "[function#1(<function <anonymous>>"
    assert values(run(recorder, source), "g", "list") == [f"{head})]", f"{head}, n=1)]", f"{head}, n=2)]"]


def test_a_function_of_the_frame_shows_its_variables_beside_it(recorder: SandboxWorker) -> None:
    """It shows them itself where it is passed to."""
    source = (
        "function g() {\n  let n = 0;\n  const up = () => ++n;\n  up();\n  h(up);\n}\n"
        "function h(f) {\n  f();\n  return 0;\n}\ng();\n"
    )
    trace = run(recorder, source)
    assert (values(trace, "g", "up"), values(trace, "g", "n")) == (["<function up>"], ["0", "1", "2"])
    assert values(trace, "h", "f") == [f"function#1(<function up>, n={n})" for n in (1, 2)]


QUIET = """function f(said) {
  console.log(said);
  return 1;
}
function make(n) {
  const plain = (a = f('default'), ...[b = f('rest')]) => n++;
  async function later({ [f('key')]: x } = f('pattern')) { n++; }
  class Counter { static of(k) { return new Counter(); } up() { return n++; } }
  function old() { n++; if (new.target) this.made = true; return arguments.length; }
  return { plain, later, Counter, old, bound: old.bind(null, 1), up: Counter.prototype.up };
}
process.on('unhandledRejection', () => console.log('rejected'));
const o = make(5), names = [];
for (const key of Object.keys(o)) {
  names.push([key, o[key].name, o[key].length, Object.getOwnPropertyNames(o[key]).join(), o[key].toString()]);
}
console.log(JSON.stringify(names), new o.old().made, o.plain.toString === Function.prototype.toString);
Promise.resolve().then(() => console.log('first')).then(() => console.log('second'));
const again = o.plain;
console.log(again === o.plain, again(1, 2), o.up());
"""


def test_reading_a_closure_changes_nothing(recorder: SandboxWorker, tmp_path: Path) -> None:
    trace = recorder.record(program(QUIET))
    assert as_in_a_plain_run(trace, plain(QUIET, "program.js", tmp_path)), trace.output
    assert "'plain': function#1(<function plain>, n=8)" in series(trace, "o")[-1]  # type: ignore[operator]


WATCHED = """const { createHook } = require('async_hooks');
let made = 0;
createHook({ init() { made++; } }).enable();
function counter(n) { return [async () => ++n, () => n]; }
const pair = counter(1);
for (let i = 0; i < 3; i++) pair[1]();
console.log(made);
"""


def test_a_program_that_is_told_of_promises_is_told_of_none_more(recorder: SandboxWorker, tmp_path: Path) -> None:
    trace = recorder.record(program(WATCHED))
    assert as_in_a_plain_run(trace, plain(WATCHED, "program.js", tmp_path)), trace.output
    assert series(trace, "pair") == ["[<function <anonymous>>, function#1(<function <anonymous>>, n=1)]"]
