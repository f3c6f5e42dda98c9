"""Frames that wait, in JavaScript: delegation, loops over promises, and names that are shadowed meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest
from node_runs import as_in_a_plain_run, plain, run

from worldline.core.trace import Trace
from worldline.recording.recorder import SandboxWorker

pytestmark = pytest.mark.usefixtures("sandbox")


def waits(trace: Trace) -> list[tuple[str, str, int, str | None]]:
    """(event, function, line, value) of the steps by which frames begin, wait, go on and end; not the script's."""
    kinds = ("call", "yield", "resume", "return", "raise")
    return [
        (step.event, trace.frames[step.frame].name, step.line, step.arg)
        for step in trace.steps
        if step.event in kinds and trace.frames[step.frame].name != "<module>"
    ]


DELEGATES = """function* inner(n) {
  const got = yield n;
  return got;
}
function* outer() {
  const x = yield* inner(4);
  yield* [7];
  return x;
}
const g = outer();
const a = g.next();
const b = g.next('s');
const c = g.next();
"""


def test_delegation_waits_in_both_frames(recorder: SandboxWorker) -> None:
    """As `yield from` does: what the inner one yields the outer one yields, and it is resumed first."""
    assert waits(run(recorder, DELEGATES)) == [
        ("call", "outer", 5, None),
        ("call", "inner", 1, None),
        ("yield", "inner", 2, "4"),
        ("yield", "outer", 6, "4"),
        ("resume", "outer", 6, None),
        ("resume", "inner", 2, None),
        ("return", "inner", 3, "'s'"),
        ("yield", "outer", 7, "7"),
        ("resume", "outer", 7, None),
        ("return", "outer", 8, "'s'"),
    ]


CLOSES = """function* inner() {
  try {
    yield 1;
  } finally {
    console.log('inner');
  }
}
function* outer() {
  try {
    yield* inner();
  } finally {
    console.log('outer');
  }
}
for (const x of outer()) break;
const g = outer();
g.next();
try {
  g.throw(new Error('in'));
} catch (e) {
  console.log(e.message);
}
"""


def test_delegation_is_closed_and_thrown_into(recorder: SandboxWorker) -> None:
    trace = run(recorder, CLOSES)
    assert trace.output == "inner\nouter\ninner\nouter\nin\n"
    assert waits(trace)[4:8] == [
        ("resume", "outer", 10, None),
        ("resume", "inner", 3, None),
        ("return", "inner", 5, "<undefined>"),
        ("return", "outer", 12, "<undefined>"),
    ]
    raised = [step for step in waits(trace) if step[0] == "raise"]
    assert [(name, line) for _, name, line, _ in raised] == [("inner", 3), ("outer", 10)]


ONE_LINE = """function* nat() {
  let k = 0;
  try {
    while (true) yield k++;
  } finally {
    console.log(k);
  }
}
for (const v of nat()) {
  if (v === 2) break;
}
"""


def test_a_loop_of_one_line_is_closed_where_it_waits(recorder: SandboxWorker) -> None:
    """`run` has both notations and the guard read it: a yield behind its loop's head leads to the `finally` too."""
    assert run(recorder, ONE_LINE).output == "3\n"


CLOSED = """function* plain() {
  yield 1;
}
function* waits(log) {
  try {
    yield 1;
  } finally {
    log.push(yield 2);
  }
}
function* outer() {
  yield* waits([]);
}
function* both() {
  yield* other();
}
function* other() {
  try {
    yield 1;
  } finally {
    return 8;
  }
}
function* simple() {
  try {
    yield 1;
  } finally {
    1;
  }
}
const all = [plain(), waits([]), outer(), both(), other(), simple()];
for (const g of all) {
  g.next();
  console.log(g.return(5), g.next());
}
all[0].return(6);
for (const x of plain()) break;
const p = Object.getPrototypeOf(plain.prototype);
console.log(p.return.name, p.return.length, `${p.return}`, Object.keys(p), 'prototype' in p.return);
try {
  p.return.call({}, 1);
} catch (e) {
  console.log(e instanceof TypeError, e.message);
}
"""


def test_a_generator_that_is_closed_returns_what_it_was_given(recorder: SandboxWorker, tmp_path: Path) -> None:
    """One that has nothing left to do is closed without a step."""
    trace = run(recorder, CLOSED)
    ends = [(name, value) for event, name, _, value in waits(trace) if event == "return"]
    both = [("waits", "5"), ("outer", "<undefined>"), ("other", "8"), ("both", "8")]
    assert ends == [("waits", "5"), *both, ("other", "8"), ("simple", "5")]
    assert as_in_a_plain_run(trace, plain(CLOSED, "program.js", tmp_path)), trace.output


ODD = """const log = [];
const odd = {
  get [Symbol.iterator]() { log.push('iterator'); return () => odd; },
  get next() { log.push('next'); return function (v) { log.push(['called', v]); return result; }; },
  get return() { log.push('return'); return undefined; },
};
const result = { get done() { log.push('done'); return false; }, get value() { log.push('value'); return 1; } };
function* g() { yield* odd; }
const it = g();
console.log(it.next('a') === result, it.next('b') === result);
it.return(5);
console.log(JSON.stringify(log));
for (const wrong of [5, null, {}, { [Symbol.iterator]: () => 1 }, { [Symbol.iterator]: () => ({}) }]) {
  try {
    [...(function* () { yield* wrong; })()];
  } catch (e) {
    console.log(e instanceof TypeError, e.constructor === TypeError);
  }
}
async function* h() {
  yield* [Promise.resolve(1), 2];
  yield* g2();
}
async function* g2() {
  const x = yield 3;
  yield x;
}
const i = h(), order = [];
Promise.resolve().then(() => order.push('t1')).then(() => order.push('t2')).then(() => order.push('t3'));
(async () => {
  for (let k = 0; k < 5; k++) order.push(await i.next(`v${k}`));
  console.log(JSON.stringify(order));
})();
"""


def test_delegation_asks_no_more_than_a_plain_run(recorder: SandboxWorker, tmp_path: Path) -> None:
    """Which properties are read, and when, and in which turn promises are settled."""
    trace = run(recorder, ODD)
    assert as_in_a_plain_run(trace, plain(ODD, "program.js", tmp_path)), trace.output


AWAITS = """async function* source(n) {
  for (let i = 0; i < n; i++) {
    yield i;
  }
}
async function work() {
  let total = 0;
  for await (const x of source(2)) {
    total += x;
  }
  for await (const y of [5, Promise.resolve(6)]) {
    total += y;
  }
  return total;
}
work();
"""


def test_a_loop_over_promises_waits_once_a_round(recorder: SandboxWorker) -> None:
    """The iterator runs inside the frame that asks it; then that frame waits for the promise."""
    trace = run(recorder, AWAITS)
    assert waits(trace)[:8] == [
        ("call", "work", 6, None),
        ("call", "source", 1, None),
        ("yield", "source", 3, "0"),
        ("yield", "work", 8, "<Promise>"),
        ("resume", "work", 8, None),
        ("resume", "source", 3, None),
        ("yield", "source", 3, "1"),
        ("yield", "work", 8, "<Promise>"),
    ]
    assert trace.frames[2].parent == 1
    assert [value for event, _, line, value in waits(trace) if (event, line) == ("yield", 11)] == [
        "5",
        "<Promise>",
        "<undefined>",
    ]
    assert waits(trace)[-1] == ("return", "work", 14, "12")


ENDS = """async function* source() {
  try {
    yield 1;
    yield 2;
  } finally {
    console.log('closed');
  }
}
async function work() {
  for await (const x of source()) {
    break;
  }
  try {
    for await (const x of source()) {
      throw new Error('mine');
    }
  } catch (e) {
    order.push(e.message);
  }
  try {
    for await (const x of [Promise.reject(new Error('no'))]) console.log(x);
  } catch (e) {
    return e.message;
  }
}
const order = [];
work().then((v) => order.push(v)).finally(() => console.log(order.join()));
let turns = Promise.resolve();
for (let i = 0; i < 24; i++) turns = turns.then(() => order.push(i));
"""


def test_a_loop_over_promises_ends_as_in_a_plain_run(recorder: SandboxWorker, tmp_path: Path) -> None:
    trace = run(recorder, ENDS)
    assert as_in_a_plain_run(trace, plain(ENDS, "program.js", tmp_path)), trace.output
    assert ("raise", "work", 21, "Error('no')") in waits(trace)


def test_a_shadowed_var_is_absent_until_it_has_a_value(recorder: SandboxWorker) -> None:
    source = (
        "for (let i = 0; i < 1; i++) {\n  i;\n}\nlet j = 1;\n"
        "for (var i = 5; i < 6; i++) {\n  let i = 'x';\n  j = i;\n}\nj = i;\n"
    )
    trace = run(recorder, source)
    told = [(step.line, dict(step.delta), list(step.gone)) for step in trace.steps if step.delta or step.gone]
    assert told == [
        (1, {"i": "0"}, []),
        (1, {"i": "1"}, []),
        (4, {"j": "1"}, ["i"]),
        (6, {"i": "'x'"}, []),
        (7, {"j": "'x'", "i": "5"}, []),
        (5, {"i": "6"}, []),
        (9, {"j": "6"}, []),
    ]


FINALLY = """function g() {
  null.x;
}
function f(n) {
  try {
    g();
    n = 7;
  } finally {
    n = 5;
  }
}
function h() {
  try {
    f(1);
  } catch (e) {
    g();
  } finally {
    console.log('h');
  }
}
try {
  h();
} catch {
  console.log('end');
}
"""


def test_an_exception_is_told_before_a_finally(recorder: SandboxWorker) -> None:
    """In the line where it arrives; passing on behind the block is no second event."""
    trace = run(recorder, FINALLY)
    told = [(step.event, trace.frames[step.frame].name, step.line) for step in trace.steps]
    assert told == [
        ("call", "<module>", 1), ("line", "<module>", 22), ("call", "h", 12), ("line", "h", 14),
        ("call", "f", 4), ("line", "f", 6), ("call", "g", 1), ("line", "g", 2), ("raise", "g", 2),
        ("raise", "f", 6), ("line", "f", 9), ("raise", "h", 14), ("line", "h", 16),
        ("call", "g", 1), ("line", "g", 2), ("raise", "g", 2), ("raise", "h", 16), ("line", "h", 18),
        ("output", "h", 18),
        ("raise", "<module>", 22), ("line", "<module>", 24), ("output", "<module>", 24), ("return", "<module>", 24),
    ]  # fmt: skip


TWICE = """const o = { *each() { yield 1; }, other() { return 'O'; } };
const add = async (x) => (await x) + 1;
const all = [...o.each(), ...o.each(), o.other()];
add(1);
add(2);
"""


def test_frames_of_one_line_are_told_apart(recorder: SandboxWorker) -> None:
    """In Meta's format too: a call on the line of a yield may go on, or begin."""
    assert len(run(recorder, TWICE).frames) == 6


def test_a_script_that_only_defines(recorder: SandboxWorker) -> None:
    trace = run(recorder, "function f() {\n  return 1;\n}\n")
    assert [(step.event, step.line) for step in trace.steps] == [("call", 1), ("return", 1)]


CONTINUES = """const closing = {
  [Symbol.iterator]: () => ({
    next: () => ({ value: 1, done: false }),
    return() {
      return {};
    },
  }),
};
outer: for (const i of [1, 2]) {
  for (const j of closing) {
    continue outer;
  }
}
"""


def test_an_iterator_is_closed_before_the_outer_loop_goes_on(recorder: SandboxWorker) -> None:
    trace = run(recorder, CONTINUES)
    lines = [(step.event, step.line) for step in trace.steps if step.line in (4, 9, 11) and step.event != "return"]
    assert lines == [
        ("line", 9), ("line", 11), ("call", 4), ("line", 9), ("line", 11), ("call", 4), ("line", 9),
    ]  # fmt: skip
