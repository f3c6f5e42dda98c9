"""What the last line of a block wrote is shown, though its names end with the block; so is the order of streams."""

from __future__ import annotations

import pytest
from node_runs import faults, program

from worldline.core.trace import Trace
from worldline.recording.recorder import SandboxWorker

END = "\nlet end = 0;\nend = 1;\n"
pytestmark = pytest.mark.usefixtures("sandbox")


def run(recorder: SandboxWorker, source: str, name: str = "program.js", stdin: str = "") -> Trace:
    script = program(source, name, stdin=stdin)
    trace = recorder.record(script)
    assert trace.outcome.kind == "returned", (trace.outcome, trace.stderr)
    assert faults(trace, recorder.in_language(script.language).flow(script)) == []
    return trace


def series(trace: Trace, name: str) -> list[str | None]:
    """The values of a name in order; None where it is gone."""
    values: list[str | None] = []
    for step in trace.steps:
        values += [step.delta[name]] if name in step.delta else []
        values += [None] if name in step.gone else []
    return values


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("for (let i = 0; i < 2; i++) { const b = i * 3; }", ["0", "3", None]),
        ("for (let i = 0; i < 2; i++) {\n  const b = i * 3;\n}", ["0", None, "3", None]),
        ("{ const b = 5; }", ["5", None]),
        ("if (true) {\n  let b = 1;\n  b = 2;\n}", ["1", "2", None]),
        ("for (const x of [4, 5]) { const b = x; if (b > 4) break; }", ["4", "5", None]),
        ("for (const x of [4, 5]) { const b = x; if (b < 9) continue; }", ["4", "5", None]),
        ("for (let i = 0; i < 1; i++) {\n  const b = [];\n  b.push(i);\n}", ["[]", "[0]", None]),
        ("switch (1) {\n  case 1:\n    let b = 3;\n}", ["3", None]),
        ("try {\n  const b = 6;\n} finally {\n}", ["6", None]),
        ("{\n  let b = 0;\n  const add = () => b++;\n  add();\n}", ["0", "1", "0", "1", None]),
        ("let k = 0;\nwhile (k < 2) { const b = k++; }", ["0", "1", None]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["program.js", "program.ts"])
def test_the_last_line_of_a_block(recorder: SandboxWorker, source: str, wanted: list[str], name: str) -> None:
    assert series(run(recorder, source + END, name), "b") == wanted


def test_the_last_value_of_a_loop_variable(recorder: SandboxWorker) -> None:
    trace = run(recorder, "for (let i = 0, j = 9; i < j; i += 4, j--) {\n}" + END)
    assert (series(trace, "i"), series(trace, "j")) == (["0", "4", "8", None], ["9", "8", "7", None])


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("let x = 1;\n{\n  const x = 2;\n}\nlet y = x;", ["2", "1"]),
        ("let x = 1;\nlet y = x;\n{\n  let x = 2;\n  x += 3;\n}\ny = x;", ["1", None, "2", "5", "1"]),
        ("let x = 1;\nlet y = x;\n{\n  let x = 2;\n  x = 3;\n}\nx++;\ny = x;", ["1", None, "2", "3", "2"]),
        ("let x = 1;\nlet y = x;\n{ let x = 2; { let x = 3; x = 4; } }\ny = x;", ["1", None, "4", "1"]),
        ("let x = 1;\nlet y = x;\nfor (;;) {\n  let x = 7; { x = 8; break; }\n}\ny++;", ["1", None, "8", "1"]),
        ("let x = 1;\nlet y = x;\nfor (let x = 5; x < 6; x++) {\n  y = x;\n}\ny = x;", ["1", "5", "6", "1"]),
    ],
)  # fmt: skip
def test_a_block_shows_a_name_that_shadows_one_around_it(
    recorder: SandboxWorker, source: str, wanted: list[str | None]
) -> None:
    assert series(run(recorder, source + END), "x") == wanted


def test_output_and_input_in_one_line_stand_in_order(recorder: SandboxWorker) -> None:
    read = (
        "const fs = require('fs'), b = Buffer.alloc(1), read = () => b.toString('utf8', 0, fs.readSync(0, b, 0, 1));\n"
    )
    line = "console.log('a'); const p = read(); console.log(p); const q = read(); console.log(q);\n"
    trace = run(recorder, read + line, stdin="xy")
    events = [(step.event, step.arg) for step in trace.steps if step.event in ("output", "input")]
    wanted = ["'a\\n'", "'x'", "'x\\n'", "'y'", "'y\\n'"]
    assert events == list(zip(("output", "input") * 2 + ("output",), wanted, strict=True))
