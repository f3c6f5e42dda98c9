"""What the last line of a block wrote is shown, though its variables end there; a loop in one line has rounds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from java_runs import HAS_JDK, JavaRecorder, check, recorder

from worldline.core.trace import Trace

END = "\nint end = 0;\nend = 1;"
MAIN = "    public static void main(String[] args) {"
pytestmark = [pytest.mark.usefixtures("sandbox"), pytest.mark.skipif(not HAS_JDK, reason="no JDK")]


@pytest.fixture(scope="module")
def java() -> Iterator[JavaRecorder]:
    with recorder() as java_recorder:
        yield java_recorder


def body(java: JavaRecorder, text: str) -> Trace:
    """The trace of a main method with this body."""
    source = f"import java.util.*;\npublic class Main {{\n{MAIN}\n{text}\n    }}\n}}\n"
    trace = java.record(source)
    assert trace.outcome.kind == "returned", (trace.outcome, trace.stderr)
    check(trace, java.flow(trace))
    return trace


OUTPUT, INPUT = "output", "input"
READER = "Scanner in = new Scanner(System.in);"


def series(trace: Trace, name: str) -> list[str | None]:
    """The values of a name in order; None where it is gone."""
    values: list[str | None] = []
    for step in trace.steps:
        values += [step.delta[name]] if name in step.delta else []
        values += [None] if name in step.gone else []
    return values


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("for (int i = 0; i < 2; i++) { int b = i * 3; }", ["0", None, "3", None]),
        ("for (int i = 0; i < 2; i++) {\nint b = i * 3;\n}", ["0", None, "3", None]),
        ("{ int b = 5; }", ["5", None]),
        ("if (args.length == 0) {\nint b = 1;\nb = 2;\n}", ["1", "2", None]),
        ("for (int x : new int[] {4, 5}) { int b = x; if (b > 4) break; }", ["4", None, "5", None]),
        ("for (int x : List.of(4, 5)) { int b = x; if (b < 9) continue; }", ["4", None, "5", None]),
        ("{\nStringBuilder b = new StringBuilder();\nb.append(1);\n}",
         ["StringBuilder#1('')", "StringBuilder#1('1')", None]),
        ("switch (args.length) {\ncase 0:\nint b = 3;\n}", ["3", None]),
        ("try {\nint b = 6;\n} finally {\n}", ["6", None]),
        ("Runnable r = () -> {\n{\nint b = 4;\n}\nint c = 1;\nc = 2;\n};\nr.run();", ["4", None]),
        ("int k = 0;\nwhile (k < 2) { int b = k++; }", ["0", "1", None]),
        ("all: for (int i = 0; i < 9; i++) { int b = i; for (;;) { if (b > 0) break all; continue all; } }",
         ["0", "1", None]),
    ],
)  # fmt: skip
def test_the_last_line_of_a_block(java: JavaRecorder, text: str, wanted: list[str]) -> None:
    values = series(body(java, text + END), "b")
    assert [value for value in values if value] == [value for value in wanted if value]
    assert values[-1] is None


def test_the_last_value_of_a_loop_variable(java: JavaRecorder) -> None:
    trace = body(java, "for (int i = 0, j = 9; i < j; i += 4, j--) {\n}" + END)
    assert (series(trace, "i"), series(trace, "j")) == (["0", "4", "8", None], ["9", "8", "7", None])


@pytest.mark.parametrize(
    "loop",
    [
        "for (int i = 0; i < 3; i++) System.out.println(i);",
        "for (int i : new int[] {0, 1, 2}) System.out.println(i);",
        "for (int i : List.of(0, 1, 2)) System.out.println(i);",
        "int i = 0; while (i < 3) System.out.println(i++);",
        "int i = 0; do System.out.println(i++); while (i < 3);",
        "for (int i = 0; i < 3; System.out.println(i++));",
    ],
)
def test_a_loop_in_one_line_has_a_step_per_round(java: JavaRecorder, loop: str) -> None:
    trace = body(java, loop)
    assert [step.arg for step in trace.steps if step.event == "output"] == ["'0\\n'", "'1\\n'", "'2\\n'"]
    events = [step.event for step in trace.steps if step.line == 4]
    outputs = [i for i, event in enumerate(events) if event == "output"]
    assert all("line" in events[i:j] for i, j in pairwise(outputs))


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ('System.out.print("a? "); int x = in.nextInt(); System.out.println(x);', [OUTPUT, INPUT, OUTPUT]),
        ("while (in.hasNextInt()) System.out.println(in.nextInt());", [INPUT, OUTPUT]),
    ],
    ids=["prompt", "loop"],
)
def test_input_and_output_in_one_line_are_in_order(java: JavaRecorder, text: str, events: list[str]) -> None:
    trace = java.record(f"import java.util.*;\nclass Main {{\n{MAIN}\n{READER}\n{text}\n}} }}\n", stdin="3\n")
    assert [step.event for step in trace.steps if step.event in events] == events


def test_threads_are_noted_once(java: JavaRecorder) -> None:
    assert body(java, "new Thread(() -> {}).start();").notes == ("threads",)


def test_stack_traces_name_lines(java: JavaRecorder) -> None:
    trace = java.record(
        "class Main { public static void main(String[] a) {\nfor (int i = 0; i < 3; i += 1 / i) ;\n} }\n"
    )
    assert "Main.java:2" in trace.stderr
    assert [step.line for step in trace.steps if step.event == "raise"] == [2]
