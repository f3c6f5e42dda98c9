"""State that no variable holds: properties of functions, statics, how far iterators are, captured variables."""

from __future__ import annotations

import pytest
from node_runs import program, run

from worldline.core.trace import Trace
from worldline.recording.recorder import SandboxWorker

pytestmark = pytest.mark.usefixtures("sandbox")


def series(trace: Trace, name: str, function: str = "<module>") -> list[str]:
    """The values of a name in the frames of one function, without the number of an object."""
    steps = (step for step in trace.steps if trace.frames[step.frame].name == function)
    return [step.delta[name] for step in steps if name in step.delta]


def test_properties_of_a_function(recorder: SandboxWorker) -> None:
    trace = run(recorder, "function f() {\n  f.count = (f.count ?? 0) + 1;\n}\nf();\nf();\n")
    counted = [f"function#1(<function f>, count={n})" for n in (1, 2)]
    assert series(trace, "f") == ["<function f>", *counted]
    assert series(trace, "f", "f") == counted


def test_statics_of_a_class(recorder: SandboxWorker) -> None:
    members = "  static made = 0;\n  static #n = 1;\n  static add() {\n    C.made++;\n    C.#n += 2;\n  }\n"
    trace = run(recorder, f"class C {{\n{members}}}\nC.add();\n")
    wanted = ["class#1(<class C>, made=0, '#n'=1)", "class#1(<class C>, made=1, '#n'=3)"]
    assert series(trace, "C") == wanted
    assert series(trace, "C", "C.add") == ["class#1(<class C>, made=1, '#n'=1)", wanted[1]]


def test_a_class_is_not_read_before_it_is_made(recorder: SandboxWorker) -> None:
    body = "  try {\n    return C.n;\n  } catch (e) {\n    return e.name;\n  }\n"
    trace = run(recorder, f"function f() {{\n{body}}}\nconst a = f();\nclass C {{ static n = 1; }}\nC.n = 2;\n")
    assert series(trace, "a") == ["'ReferenceError'"]


def test_captured_variables_at_the_call_of_a_closure(recorder: SandboxWorker) -> None:
    inner = "  return () => {\n    n++;\n    xs.push(n);\n  };\n"
    source = f"function make() {{\n  let n = 0;\n  const xs = [];\n{inner}}}\nconst add = make();\nadd();\nadd();\n"
    trace = run(recorder, source)
    calls = [dict(step.delta) for step in trace.steps if step.event == "call" and step.depth == 1]
    assert calls[1:] == [{"n": "0", "xs": "[]"}, {"n": "1", "xs": "[1]"}]
    assert series(trace, "xs", "<anonymous>") == ["[]", "[1]", "[1]", "[1, 2]"]


def test_a_variable_of_a_loop_is_captured_too(recorder: SandboxWorker) -> None:
    trace = run(recorder, "const fs = [];\nfor (let i = 0; i < 2; i++) {\n  fs.push(() => i);\n}\nfs[0]();\nfs[1]();\n")
    calls = [dict(step.delta) for step in trace.steps if step.event == "call" and step.depth == 1]
    assert calls == [{"i": "0"}, {"i": "1"}]


@pytest.mark.parametrize(
    ("created", "changed", "wanted"),
    [
        ("(function* g() { yield 1; })()", "v.next()", 
         ["generator#1(started=False)", "generator#1('g', line=1, yields=1, done=False)"]),
        ("[1, 2].values()", "v.next()", ["ArrayIterator#1(taken=0)", "ArrayIterator#1(taken=1)"]),
        ("new Map([[1, 2]]).keys()", "v.next()", ["MapIterator#1(taken=0)", "MapIterator#1(taken=1)"]),
        ("new WeakMap()", "v.set({}, 1)", ["WeakMap#1(changes=0)", "WeakMap#1(changes=1)"]),
        ("new DataView(new ArrayBuffer(2))", "v.setUint8(1, 7)", ["DataView#1([0, 0])", "DataView#1([0, 7])"]),
        ("{ a: 1 }", "v[Symbol.for('k')] = 2", ["{'a': 1}", "{'a': 1, <symbol k>: 2}"]),
        ("new URL('http://a/')", "v.pathname = '/b'", ["URL#1('http://a/')", "URL#1('http://a/b')"]),
        ("new Error('a', { cause: [] })", "v.cause.push(1)", ["Error('a', cause=[])", "Error('a', cause=[1])"]),
    ],
)  # fmt: skip
def test_a_change_of_hidden_state_is_shown(
    recorder: SandboxWorker, created: str, changed: str, wanted: list[str]
) -> None:
    assert series(run(recorder, f"const v = {created};\n{changed};\n"), "v") == wanted


def test_a_promise_is_settled(recorder: SandboxWorker) -> None:
    source = "let done;\nconst p = new Promise((resolve) => {\n  done = resolve;\n});\ndone(4);\n"
    source += "const q = Promise.reject(1);\nq.catch(() => 0);\n"
    trace = run(recorder, source)
    assert series(trace, "p") == ["<Promise pending>", "<Promise fulfilled>"]
    assert series(trace, "q") == ["<Promise rejected>"]


def test_nothing_of_the_program_is_called(recorder: SandboxWorker) -> None:
    source = (
        "let called = 0;\nconst o = { get [Symbol.toStringTag]() { called++; return 'T'; } };\n"
        "const p = Promise.resolve(o);\nMap.prototype.get = WeakMap.prototype.get = () => called++;\n"
        "const w = new WeakMap();\nw.set(o, p);\nconsole.log(called);\n"
    )
    trace = recorder.record(program(source))
    assert trace.output == "0\n"
    assert series(trace, "p") == ["<Promise fulfilled>"]
