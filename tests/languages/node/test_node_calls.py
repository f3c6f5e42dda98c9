"""What runs before a function's body does, in JavaScript: default values and fields, inside their own frame."""

from __future__ import annotations

from pathlib import Path

import pytest
from node_runs import as_in_a_plain_run, plain, run

from worldline.core.trace import Trace
from worldline.recording.recorder import SandboxWorker

pytestmark = pytest.mark.usefixtures("sandbox")


def calls(trace: Trace) -> list[tuple[str, str, dict[str, str]]]:
    """(function, the one that it runs in, parameters) of each call but the script's."""
    found = [step for step in trace.steps if step.event == "call"][1:]
    parents = [trace.frames[trace.frames[step.frame].parent or 0].name for step in found]
    return [(trace.frames[step.frame].name, up, dict(step.delta)) for step, up in zip(found, parents, strict=True)]


FIELDS = """class Tokens {
  at = 0;
  list = this.scan();
  constructor(text) {
    this.text = text;
  }
  scan() {
    return [1];
  }
}
class Two extends Tokens {
  more = this.scan();
  constructor() {
    super('two');
  }
}
new Tokens('a');
new Two();
"""


def test_fields_are_filled_inside_the_constructor(recorder: SandboxWorker) -> None:
    trace = run(recorder, FIELDS)
    assert [(name, up) for name, up, _ in calls(trace)] == [
        ("Tokens.constructor", "<module>"),
        ("Tokens.scan", "Tokens.constructor"),
        ("Two.constructor", "<module>"),
        ("Tokens.constructor", "Two.constructor"),
        ("Tokens.scan", "Tokens.constructor"),
        ("Tokens.scan", "Two.constructor"),
    ]
    assert calls(trace)[0][2] == {"this": "Tokens#1(at=0, list=[1])", "text": "'a'"}


DEFAULTS = """const log = [];
function g(v) {
  log.push(v);
  return v;
}
function f(n, a = g(n + 1), { b = g(a), c } = {}, ...rest) {
  return n + a + b + log.length;
}
const h = (n, d = n > 0 ? h(n - 1) : 0) => d + 1;
async function later(n = g(9)) {
  return n;
}
f(1);
f(1, 2, { b: 3 });
h(2);
later();
console.log(f.length, h.length, f.toString().length);
"""


def test_default_values_are_computed_inside_the_function(recorder: SandboxWorker, tmp_path: Path) -> None:
    trace = run(recorder, DEFAULTS)
    assert calls(trace) == [
        ("f", "<module>", {"n": "1", "a": "2", "b": "2", "c": "<undefined>", "rest": "[]"}),
        ("g", "f", {"v": "2"}),
        ("g", "f", {"v": "2"}),
        ("f", "<module>", {"n": "1", "a": "2", "b": "3", "c": "<undefined>", "rest": "[]"}),
        ("h", "<module>", {"n": "2", "d": "2"}),
        ("h", "h", {"n": "1", "d": "1"}),
        ("h", "h", {"n": "0", "d": "0"}),
        ("later", "<module>", {"n": "9"}),
        ("g", "later", {"v": "9"}),
    ]
    assert as_in_a_plain_run(trace, plain(DEFAULTS, "program.js", tmp_path)), trace.output


THROWS = """function bad() {
  throw new Error('no');
}
function f(n, a = bad()) {
  return a;
}
async function later(a = bad()) {
  return a;
}
class C {
  x = bad();
  constructor(n) {
    this.n = n;
  }
}
for (const each of [f, (n) => new C(n)]) {
  try {
    each(1);
  } catch (e) {
    console.log(e.message);
  }
}
later().catch((e) => console.log('late', e.message));
f(1, 2);
"""


def test_a_default_value_that_throws_leaves_its_frame(recorder: SandboxWorker) -> None:
    trace = run(recorder, THROWS)
    raised = [trace.frames[step.frame].name for step in trace.steps if step.event == "raise"]
    assert raised == ["bad", "f", "<module>", "bad", "C.constructor", "<anonymous>", "<module>", "bad", "later"]
    assert next(step.arg for step in trace.steps if step.event == "return") == "2"
    assert trace.output == "no\nno\nlate no\n"
