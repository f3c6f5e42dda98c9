"""The recorder and the compiler of Java programs are made once for a JDK, and no program can touch them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from java_runs import HAS_JDK, JavaRecorder, recorder

from worldline.recording.guests.jvm import service
from worldline.recording.languages import artefact, tools

pytestmark = pytest.mark.skipif(not HAS_JDK, reason="no JDK")
SMALL = """public class Main {
    public static void main(String[] args) {
        int x = 1;
    }
}
"""
WRITES = """import java.nio.file.*;
public class Main {
    public static void main(String[] args) throws Exception {
        Path jar = Path.of("/worldline/tools/recorder.jar");
        System.out.println(Files.size(jar) > 1000);
        try {
            Files.write(jar, new byte[1]);
        } catch (FileSystemException error) {
            System.out.println("no");
        }
        try {
            Files.delete(jar);
        } catch (FileSystemException error) {
            System.out.println("no");
        }
    }
}
"""


@pytest.fixture
def java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[JavaRecorder]:
    """With a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with recorder() as found:
        yield found


@pytest.mark.long(reason="makes the tools for Java anew")
def test_they_are_made_once_and_out_of_reach(java: JavaRecorder) -> None:
    assert java.record(SMALL).outcome.kind == "returned"
    (made,) = tools.folder().iterdir()
    before = {path.name: (path.stat().st_ino, path.read_bytes()) for path in made.iterdir()}
    assert {"compiler.jar", "compiler.jsa", "recorder.jar"} <= set(before)
    with recorder() as other:
        trace = other.record(WRITES)
    assert trace.output == "true\nno\nno\n", (trace.outcome, trace.stderr)
    assert {path.name: (path.stat().st_ino, path.read_bytes()) for path in made.iterdir()} == before
    parts = [artefact.read(path.read_bytes()) for path in artefact.folder().iterdir()]
    assert all(found is not None and "recorder.jar" not in found for found in parts)
    command = ["java", "-Xshare:on", *service.flags(str(made))]
    done = subprocess.run(command, cwd=made, input=b"", capture_output=True, check=False)
    assert done.returncode == 0, done.stderr  # the archive of classes is one that the JVM takes
    assert "-XX:SharedArchiveFile=compiler.jsa" in command


@pytest.mark.long(reason="makes the tools for Java again, in a cache of its own")
def test_without_a_box_they_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with recorder(trust=True) as java:
        trace = java.record(SMALL)
    assert trace.outcome.kind == "returned", (trace.outcome, trace.stderr)
    assert len(list(tools.folder().iterdir())) == 1
