"""A Java program's steps do not depend on what its file is called."""

from __future__ import annotations

from collections.abc import Iterator

import java_runs
import pytest

pytestmark = [pytest.mark.usefixtures("sandbox"), pytest.mark.skipif(not java_runs.HAS_JDK, reason="there is no JDK")]
SOURCE = "public class Foo {\n    public static void main(String[] a) {\n        int x = 1;\n    }\n}\n"


@pytest.fixture(scope="module")
def recorder() -> Iterator[java_runs.JavaRecorder]:
    with java_runs.recorder() as found:
        yield found


@pytest.mark.parametrize("name", ["my prog.java", "ünï.java", "-dash.java", "100% #a?.java", 'a "b\\.java'])
def test_frames_are_of_the_programs_own_file(recorder: java_runs.JavaRecorder, name: str) -> None:
    odd, usual = recorder.record(SOURCE, name=name), recorder.record(SOURCE, name="Foo.java")
    assert [step.line for step in usual.steps] == [2, 3, 4, 4]
    assert list(odd.steps) == list(usual.steps)
    assert {frame.file for frame in odd.frames} == {name}
    java_runs.check(odd, recorder.flow(odd))
