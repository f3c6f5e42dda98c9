"""What a recorded JavaScript or TypeScript program shows: lines, values, frames, and who shares what."""

from __future__ import annotations

from typing import Any

import pytest
from node_runs import faults, program

from worldline.core.limits import Limits
from worldline.core.trace import Outcome, Trace
from worldline.recording.recorder import SandboxWorker, prepare

pytestmark = pytest.mark.usefixtures("sandbox")


def run(recorder: SandboxWorker, source: str, name: str = "program.js", **more: Any) -> Trace:
    asked = program(source, name, **more)
    trace = recorder.record(asked)
    assert trace.outcome.kind in ("returned", "raised", "exited"), (trace.outcome, trace.stderr)
    assert faults(trace, recorder.in_language(asked.language).flow(asked)) == []
    return trace


def events(trace: Trace, name: str) -> list[tuple[Any, ...]]:
    """The events of the frames of one name: (event, line, delta, gone, arg) without what is empty."""
    wanted = [step for step in trace.steps if trace.frames[step.frame].name == name]
    return [
        tuple(part for part in (step.event, step.line, dict(step.delta), list(step.gone), step.arg) if part)
        for step in wanted
    ]


def series(trace: Trace, name: str) -> list[str]:
    return [step.delta[name] for step in trace.steps if name in step.delta]


def test_a_loop_tells_its_head_each_time(recorder: SandboxWorker) -> None:
    trace = run(recorder, "let t = 0;\nfor (let i = 0; i < 2; i++) {\n  t += i;\n}\nt = 9;\n")
    assert events(trace, "<module>") == [
        ("call", 1),
        ("line", 1, {"t": "0"}),
        ("line", 2, {"i": "0"}),
        ("line", 3),
        ("line", 2, {"i": "1"}),
        ("line", 3, {"t": "1"}),
        ("line", 2, {"i": "2"}),
        ("line", 5, {"t": "9"}, ["i"]),
        ("return", 5, "<undefined>"),
    ]


def test_one_line_is_one_step(recorder: SandboxWorker) -> None:
    trace = run(recorder, "let a = 1; let b = a + 1; if (b) a = 5;\nwhile (a < 7) a++;\n")
    assert [step.line for step in trace.steps if step.event == "line"] == [1, 2, 2, 2]
    assert series(trace, "a") == ["5", "6", "7"]


def test_a_generator_yields_and_goes_on(recorder: SandboxWorker) -> None:
    trace = run(
        recorder,
        "function* g(n) {\n  const got = yield n;\n  return got;\n}\nconst i = g(4);\ni.next();\ni.next('x');\n",
    )
    assert events(trace, "g") == [
        ("call", 1, {"n": "4"}),
        ("line", 2),
        ("yield", 2, "4"),
        ("resume", 2, {"got": "'x'"}),
        ("line", 3),
        ("return", 3, "'x'"),
    ]


def test_async_frames_are_interleaved(recorder: SandboxWorker) -> None:
    source = "async function f(n) {\n  let x = await n;\n  x = await (x + 1);\n  return x;\n}\nf(1);\nf(5);\n"
    trace = run(recorder, source)
    order = [(step.event, step.frame) for step in trace.steps if step.event in ("call", "yield", "resume", "return")]
    assert order == [
        ("call", 0), ("call", 1), ("yield", 1), ("call", 2), ("yield", 2), ("return", 0),
        ("resume", 1), ("yield", 1), ("resume", 2), ("yield", 2),
        ("resume", 1), ("return", 1), ("resume", 2), ("return", 2),
    ]  # fmt: skip
    assert series(trace, "x") == ["1", "5", "2", "6"]


def test_a_rejected_await_raises_where_it_waited(recorder: SandboxWorker) -> None:
    source = (
        "async function f() {\n  try {\n"
        "    await Promise.reject(new Error('no'));\n  } catch (e) {\n    return 1;\n  }\n}\nf();\n"
    )
    assert events(run(recorder, source), "f") == [
        ("call", 1),
        ("line", 3),
        ("yield", 3, "<Promise>"),
        ("resume", 3),
        ("raise", 3, {"e": "Error('no')"}, "Error('no')"),
        ("line", 5),
        ("return", 5, "1"),
    ]


def test_an_exception_passes_through_frames(recorder: SandboxWorker) -> None:
    source = (
        "function f(xs) {\n  xs.push(1);\n  throw new TypeError('t');\n}\n"
        "function g(xs) {\n  f(xs);\n}\nconst ys = [];\ntry {\n  g(ys);\n} catch {\n  ys.push(2);\n}\n"
    )
    trace = run(recorder, source)
    raised = [(trace.frames[step.frame].name, step.line, step.arg) for step in trace.steps if step.event == "raise"]
    assert raised == [(name, line, "TypeError('t')") for name, line in (("f", 3), ("g", 6), ("<module>", 10))]
    assert series(trace, "xs") == ["[]", "[1]", "[]", "[1]"]  # of g, whose line ends with f's exception, and of f
    assert series(trace, "ys") == ["[]", "[1]", "[1, 2]"]


def test_finally_runs_before_the_return_is_told(recorder: SandboxWorker) -> None:
    source = "let n = 0;\nfunction f() {\n  try {\n    return n;\n  } finally {\n    n = 5;\n  }\n}\nf();\n"
    assert events(run(recorder, source), "f") == [("call", 2), ("line", 4), ("line", 6, {"n": "5"}), ("return", 6, "0")]


def test_let_is_absent_until_it_is_initialised(recorder: SandboxWorker) -> None:
    source = "function f() {\n  return typeof late === 'number' ? late++ : 0;\n}\nlet early = 1;\nlet late = 2;\nf();\n"
    trace = run(recorder, source)
    assert trace.steps[1].delta == {"early": "1"}
    assert ("line", 2, {"late": "3"}) in events(trace, "f")
    dead = run(
        recorder, "{\n  let x = 1;\n  {\n    try { x; } catch (e) { console.log(e.name); }\n    let x = 2;\n  }\n}\n"
    )
    assert dead.output == "ReferenceError\n"


def test_closures_show_what_they_capture(recorder: SandboxWorker) -> None:
    source = (
        "function make() {\n  let n = 0;\n  return () => {\n    n += 1;\n"
        "    return n;\n  };\n}\nconst f = make();\nf();\nf();\n"
    )
    trace = run(recorder, source)
    assert events(trace, "<anonymous>")[:4] == [
        ("call", 3, {"n": "0"}), ("line", 4, {"n": "1"}), ("line", 5), ("return", 5, "1"),
    ]  # fmt: skip
    assert series(trace, "n") == ["0", "0", "1", "1", "2"]  # make's, then what each call captures and writes


def test_classes(recorder: SandboxWorker) -> None:
    source = (
        "class A {\n  #secret = 1;\n  static made = 0;\n  constructor(x) {\n    this.x = x;\n    A.made++;\n  }\n"
        "  get twice() {\n    return this.x * 2;\n  }\n  set twice(v) {\n"
        "    this.x = v / 2;\n    this.#secret = v;\n  }\n}\n"
        "class B extends A {\n  constructor() {\n    super(3);\n"
        "    this.y = this.twice;\n  }\n}\nconst b = new B();\nb.twice = 8;\n"
    )
    trace = run(recorder, source)
    assert series(trace, "b") == ["B#2(x=3, y=6, '#secret'=1)", "B#2(x=4, y=6, '#secret'=8)"]
    assert series(trace, "A") == [f"class#1(<class A>, made={n})" for n in ("0", "1", "1")]  # the module's, A's own
    names = {frame.name for frame in trace.frames}
    assert names == {"<module>", "A.constructor", "B.constructor", "A.twice"}
    assert ("line", 19, {"this": "B#2(x=3, y=6, '#secret'=1)"}) in events(trace, "B.constructor")


def test_values(recorder: SandboxWorker) -> None:
    source = (
        "const a = [1, , undefined, null, -0, 0.1, 1e21, NaN];\nconst m = new Map([[1, 'a']]), s = new Set([2, 1]);\n"
        "const d = { 'a b': true, 3: 5n };\n"
        "const r = /x+/gi, t = new Date(5), f = () => 1, e = new RangeError('x', { cause: 1 });\n"
        "const p = Promise.resolve(), u = new Uint8Array([1, 2]), y = Symbol.iterator, c = class K {};\n"
    )
    deltas = {name: value for step in run(recorder, source).steps for name, value in step.delta.items()}
    assert deltas == {
        "a": "[1, <hole>, <undefined>, None, -0.0, 0.1, 1e+21, nan]",
        "m": "Map#1({1: 'a'})",
        "s": "Set#2([2, 1])",
        "d": "{'3': BigInt(5), 'a b': True}",
        "r": "RegExp#3('x+', flags='gi', lastIndex=0)",
        "t": "Date#4(5)",
        "f": "<function f>",
        "e": "RangeError('x', cause=1)",
        "p": "<Promise fulfilled>",
        "u": "Uint8Array#5([1, 2])",
        "y": "<symbol Symbol.iterator>",
        "c": "<class K>",
    }


def test_changes_in_place_and_sharing(recorder: SandboxWorker) -> None:
    source = (
        "const a = [[1]];\nconst b = a[0];\nconst c = b;\nb.push(2);\n"
        "const m = new Map();\nm.set('k', c);\nc.length = 0;\n"
        "let d = c;\nd = null;\n"
    )
    trace = run(recorder, source)
    assert series(trace, "a") == ["[[1]]", "[[1, 2]]", "[[]]"]
    assert series(trace, "m") == ["Map#1({})", "Map#1({'k': [1, 2]})", "Map#1({'k': []})"]
    assert [dict(step.same) for step in trace.steps if step.same] == [{"c": "b"}, {"d": "b"}, {"d": None}]


def test_a_promise_that_a_call_returns_is_awaited(recorder: SandboxWorker) -> None:
    trace = run(recorder, "async function f(x) {\n  return await x + 1;\n}\n", call="f(4)")
    assert trace.outcome == Outcome("returned", "5")


def test_the_arguments_of_a_call(recorder: SandboxWorker) -> None:
    trace = run(
        recorder,
        "const f = (...xs) => {\n  return xs.length;\n};\n",
        call="f({'a': 1}, {1: 2}, {3}, None, 1.5, b'ab', (1,))",
    )
    assert trace.outcome == Outcome("returned", "7")
    assert trace.steps[0].delta == {
        "xs": "[{'a': 1}, Map#1({1: 2}), Set#2([3]), None, 1.5, Uint8Array#3([97, 98]), [1]]"
    }


def test_a_method_is_called_by_its_path(recorder: SandboxWorker) -> None:
    trace = run(recorder, "class K { static twice(x) { return 2 * x; } }\n", call="K.twice(4)")
    assert trace.outcome == Outcome("returned", "8")


def test_own_files_are_recorded_too(recorder: SandboxWorker) -> None:
    files = {"lib/add.js": "let n = 0;\nexports.add = (a, b) => {\n  n++;\n  return a + b;\n};\n"}
    trace = run(
        recorder, "const { add } = require('./lib/add');\nconsole.log(add(2, 3));\n", files=tuple(files.items())
    )
    assert trace.output == "5\n"
    assert [(f.name, f.file) for f in trace.frames] == [
        ("<module>", "program.js"), ("<module>", "lib/add.js"), ("add", "lib/add.js"),
    ]  # fmt: skip


def test_modules_import_each_other(recorder: SandboxWorker) -> None:
    files = {
        "a.mjs": "import { b } from './b.mjs';\nexport let count = 0;\n"
        "export function bump() {\n  count++;\n  return b;\n}\n",
        "b.mjs": "import { bump } from './a.mjs';\nexport const b = typeof bump;\n",
    }
    source = "import { count, bump } from './a.mjs';\nconst got = bump();\nconsole.log(count, got);\n"
    trace = run(recorder, source, "program.mjs", files=tuple(files.items()))
    assert trace.output == "1 function\n"
    assert [f.file for f in trace.frames] == ["b.mjs", "a.mjs", "program.mjs", "a.mjs"]
    detected = run(recorder, source.replace("program.mjs", "program.js"), "program.js", files=tuple(files.items()))
    assert detected.output == "1 function\n"


TYPES = """interface Shape { area(): number; tag?: string }
type Pair<T> = [T, T];
enum Colour { Red, Green = 5, Blue }
abstract class Base<T> implements Shape {
  protected readonly id: number = 1;
  constructor(public w: T, private h?: number) {}
  abstract area(): number;
}
class Square extends Base<number> {
  area(): number { return this.w! * (this.w as number); }
}
function first<T extends object>(this: void, xs: T[], ...more: Array<number>): T { return xs[0]; }
function over(a: string): string;
function over(a: any): any { return a; }
const pair: Pair<number> = [1, 2] as const satisfies readonly number[];
let late: string | undefined;
const generic = <T,>(x: T): T => x;
console.log(new Square(3).area(), Colour.Blue, Colour[5], first([{ a: 1 }]), over('q'), generic<number>(4), pair?.[1]!);
"""


def test_types_are_blanks(recorder: SandboxWorker) -> None:
    trace = run(recorder, TYPES, "program.ts")
    assert trace.output == "9 6 Green { a: 1 } q 4 2\n"
    assert series(trace, "pair") == ["[1, 2]"]
    assert [step.line for step in trace.steps if step.event == "line" and step.frame == 0] == [3, 4, 9, 15, 16, 17, 18]


def test_types_inside_what_is_rewritten_are_blanks(recorder: SandboxWorker) -> None:
    source = """enum Color { Red, Green = 'g' as any, Blue = <number>4, Next = (Blue satisfies number) + 1 }
class A {
  own = 'o';
  constructor(public readonly id: number, private label = 'x', protected z: number = 3) {
    console.log(this.id, this.label, this.z);
  }
}
const a = new A(1);
console.log(Color.Green, Color[0], Color[4], Color.Next);
"""
    trace = run(recorder, source, "program.ts")
    assert trace.output == "1 x 3\ng Red Blue 5\n"
    assert series(trace, "a") == ["A#1(id=1, label='x', z=3, own='o')"]  # as tsc orders them


SPACES = """namespace Types { export interface I { a: number } type J = I; }
namespace N {
  const hidden: number = 2;
  export const twice = (x: number): number => x * hidden;
  export function thrice(x: number): number {
    return x + twice(x);
  }
  export class K<T> {
    constructor(public v: T) {}
  }
  export enum E { A, B }
  export namespace Inner {
    export const [p, q] = [E.B, 5];
  }
}
namespace N {
  export let more: Types.I = { a: 4 };
}
namespace A.B.C { export const deep = N.Inner.p }
class Both { static make() { return new Both(); } }
namespace Both { export const made = Both.make(); }
console.log(N.twice(4), N.thrice(1), new N.K<number>(7).v, N.E.B, N.Inner.q, N.more.a, A.B.C.deep, Both.made);
"""


def test_namespaces_keep_their_lines(recorder: SandboxWorker) -> None:
    trace = run(recorder, SPACES, "program.ts")
    assert trace.output == "8 3 7 1 5 4 1 Both {}\n"
    frames = [frame.name for frame in trace.frames]
    assert frames[:4] == ["<module>", "N", "Inner", "N"]
    nameless = (
        "function#2(<function <anonymous>>, hidden=2)"  # as tsc has it: what is assigned to a property gets no name
    )
    assert [(line, *rest) for event, line, *rest in events(trace, "N") if event == "line"][:3] == [
        (2, {"N": "{'thrice': function#1(<function thrice>)}"}),
        (3, {"hidden": "2"}),
        (
            4,
            {
                "N": f"{{'thrice': function#1(<function thrice>, twice={nameless}), 'twice': function#2}}",
                "twice": nameless,
            },
        ),
    ]


@pytest.mark.parametrize(
    "source",
    ["namespace N { export let x = 1; x++; }\n", "@d class A {}\n", "let x: = 1;\n", "import f = require('f');\n"],
)
def test_what_is_more_than_types_is_refused(recorder: SandboxWorker, source: str) -> None:
    outcome = recorder.record(program(source, "program.ts")).outcome
    assert outcome.kind == "unsupported"
    assert outcome.detail.startswith("source: ")
    assert "line 1" in outcome.detail


def test_with_is_refused(recorder: SandboxWorker) -> None:
    outcome = recorder.record(program("var o = {};\nwith (o) { x = 1; }\n")).outcome
    assert (outcome.kind, "line 2" in outcome.detail) == ("unsupported", True)


def test_standard_error_is_as_in_a_plain_run(recorder: SandboxWorker) -> None:
    trace = run(recorder, "function f() {\n    null.x;\n}\nf();\n")
    text = trace.stderr.splitlines()
    assert text[1:3] == ["    null.x;", "         ^"]
    assert text[4] == "TypeError: Cannot read properties of null (reading 'x')"
    assert [line.strip().split(" (")[0] for line in text[5:7]] == ["at f", "at Object.<anonymous>"]
    assert text[5].endswith("program.js:2:10)")


def test_a_wire_that_is_longer_than_an_array_may_be() -> None:
    limits = Limits(wall=60, trace_bytes=5 << 30)
    worker = SandboxWorker(prepare(limits=limits, python=None, core="auto", trust=False))
    try:
        trace = worker.record(program("let x = 1;\nx = 2;\n"))
    finally:
        worker.close()
    assert (trace.outcome, series(trace, "x")) == (Outcome("returned"), ["1", "2"]), trace.stderr


def test_a_trace_outgrows_the_memory_that_it_begins_in(recorder: SandboxWorker) -> None:
    """Of the wire only the beginning is mapped into Node.js's heap at first (native/node_wire.c)."""
    loop = "for (let i = 0; i < 1100; i++) {\n  s = i + s.slice(4);\n}\n"
    source = f"let s = 'x'.repeat(9000);\n{loop}const n = s.length;\n"
    trace = recorder.record(program(source))
    assert trace.outcome == Outcome("returned", "")
    told = series(trace, "s")
    assert sum(map(len, told)) > 8 << 20
    assert [value[1:5] for value in told[-3:]] == ["1097", "1098", "1099"]
    assert len({len(value) for value in told[:10]}) > 1
    assert dict(trace.steps[-2].delta) == {"n": str(len(told[-1]) - 2)}
