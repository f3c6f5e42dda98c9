"""The message that the JVM writes for a null pointer is in the trace, and no method of the program is asked for one."""

from __future__ import annotations

from collections.abc import Iterator

import java_runs
import pytest

pytestmark = [pytest.mark.usefixtures("sandbox"), pytest.mark.skipif(not java_runs.HAS_JDK, reason="there is no JDK")]

SOURCE = """\
public class Nulls {
    static class Own extends NullPointerException {
        public String getMessage() { System.out.println("asked"); return "own"; }
    }
    static int size(String text) { return text.length(); }
    static void attempt(Runnable act) {
        try { act.run(); } catch (NullPointerException error) { System.out.println(1); }
    }
    public static void main(String[] a) {
        attempt(() -> size(null));
        attempt(() -> { throw new NullPointerException(); });
        attempt(() -> { throw new NullPointerException("mine"); });
        attempt(() -> { throw new Own(); });
        int[] xs = null;
        xs[0] = 1;
    }
}
"""


@pytest.fixture(scope="module")
def recorder() -> Iterator[java_runs.JavaRecorder]:
    with java_runs.recorder() as found:
        yield found


def test_a_null_pointer_has_the_message_of_the_jvm(recorder: java_runs.JavaRecorder) -> None:
    trace = recorder.record(SOURCE, name="Nulls.java")
    last = 'Cannot store to int array because "xs" is null'
    raised = list(dict.fromkeys(step.arg for step in trace.steps if step.event == "raise"))
    assert raised == [
        'NullPointerException(\'Cannot invoke "String.length()" because "text" is null\')',
        "NullPointerException()",
        "NullPointerException('mine')",
        "Own()",
        f"NullPointerException({last!r})",
    ]
    assert trace.outcome.detail == raised[-1]
    assert trace.output == "1\n1\n1\n1\n"
    assert f"java.lang.NullPointerException: {last}" in trace.stderr
    java_runs.check(trace, recorder.flow(trace))
