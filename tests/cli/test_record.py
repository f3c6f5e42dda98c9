"""The verbs that run programs, for real, in the box: what a user types, and what comes out."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from heeding import heed_interrupts

from worldline.cli import main
from worldline.codec.json_text import parse
from worldline.core.program import Program
from worldline.core.trace import Outcome, Trace
from worldline.recording import recorder

EXAMPLES = Path(__file__).parents[2] / "examples"
Capture = pytest.CaptureFixture[str]
PATIENCE = 120  # seconds; more than a busy machine needs


pytestmark = pytest.mark.usefixtures("sandbox")


def recorded(capsys: Capture, *arguments: object) -> dict[str, Any]:
    """The object that `record --json` prints; the tool ends with 0 whatever the program did."""
    assert main(["record", "--json", *map(str, arguments)]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_script_with_arguments_and_input(tmp_path: Path, capsys: Capture) -> None:
    file = write(
        tmp_path / "greet.py", "import sys\nname = input()\nfor word in sys.argv[1:]:\n    print(word, name)\n"
    )
    trace = recorded(capsys, file, "hello", "--stdin", "Ada", "--", "-v", "--json")
    assert trace["program"]["argv"] == ["hello", "-v", "--json"]
    assert trace["output"] == "hello Ada\n-v Ada\n--json Ada\n"
    assert trace["outcome"] == {"kind": "returned", "detail": ""}
    assert {"name": "'Ada'"} in [{k: v for k, v in step["delta"].items() if k == "name"} for step in trace["steps"]]


def test_input_from_a_file_and_options_before_the_program(tmp_path: Path, capsys: Capture) -> None:
    file = write(tmp_path / "echo.py", "print(input())\n")
    text = write(tmp_path / "in.txt", "one\ntwo\n")
    assert recorded(capsys, "--stdin", f"@{text}", file)["output"] == "one\n"


def test_one_call(capsys: Capture) -> None:
    trace = recorded(capsys, EXAMPLES / "count.py", "--call", "count('berry', 'r')")
    assert trace["outcome"] == {"kind": "returned", "detail": "2"}
    first, last = trace["steps"][0], trace["steps"][-1]
    assert (first["event"], list(first["delta"].values())) == ("call", ["'berry'", "'r'"])
    assert (last["event"], last["arg"]) == ("return", "2")
    assert [step["delta"]["n"] for step in trace["steps"] if "n" in step["delta"]] == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("source", "call", "outcome"),
    [
        ("def f():\n    return {}['x']\n", "f()", ("raised", "KeyError('x')")),
        ("import sys\ndef f():\n    sys.exit(3)\n", "f()", ("exited", "3")),
        ("import os\ndef f():\n    os.abort()\n", "f()", ("killed", "SIGABRT")),
        ("def f():\n    while True:\n        pass\n", "f()", ("limit", "steps")),
    ],
)
def test_what_the_program_did_is_not_the_exit_code(
    tmp_path: Path, capsys: Capture, source: str, call: str, outcome: tuple[str, str]
) -> None:
    file = write(tmp_path / "program.py", source)
    trace = recorded(capsys, file, "--call", call, "--max-steps", "500")
    assert (trace["outcome"]["kind"], trace["outcome"]["detail"]) == outcome
    assert len(trace["steps"]) == (500 if outcome[0] == "limit" else len(trace["steps"]))


@pytest.mark.parametrize("verb", ["record", "encode", "cost", "debug", "view"])
@pytest.mark.parametrize(
    ("name", "source", "why"),
    [
        ("bad.py", "def f(:\n", "line 1"),
        ("bad.c", "int main(void) { return x; }\n", "source: line 1: "),
        ("bad.js", "let 1 = 2;\n", "source: SyntaxError in line 1"),
    ],
)
def test_a_program_that_does_not_compile_has_an_exit_code(
    tmp_path: Path, capsys: Capture, verb: str, name: str, source: str, why: str
) -> None:
    file = write(tmp_path / name, source)
    assert main([verb, str(file)]) == 4
    errors = capsys.readouterr().err
    assert "error[not-started]: " in errors
    assert why in errors
    assert "Traceback" not in errors


def test_a_missing_compiler_has_the_same_exit_code(tmp_path: Path) -> None:
    file = write(tmp_path / "fine.rs", "fn main() {}\n")
    code = (
        "import os, sys; os.environ['PATH'] = '/nowhere'; from worldline.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, "record", "--json", str(file)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ended.returncode == 4, ended.stderr
    assert json.loads(ended.stdout)["outcome"]["detail"].startswith("toolchain: no rustc; install the package rustc")
    assert "error[not-started]: " in ended.stderr


def test_limits_are_taken_from_the_options_and_stand_in_the_trace(tmp_path: Path, capsys: Capture) -> None:
    file = write(tmp_path / "long.py", "s = 'x' * 5000\n")
    trace = recorded(capsys, file, "--value-bytes", "1K", "--wall", "5", "--memory", "256M")
    assert "...<str 5000>" in [step["delta"].get("s") for step in trace["steps"]]
    assert (trace["limits"]["value_bytes"], trace["limits"]["wall"]) == (1024, 5.0)
    assert trace["limits"]["memory"] == 256 << 20


def test_an_entry_of_a_package(tmp_path: Path, capsys: Capture) -> None:
    write(tmp_path / "pkg" / "__init__.py", "")
    write(tmp_path / "pkg" / "inner.py", "def twice(n):\n    return 2 * n\n")
    write(tmp_path / "pkg" / "outer.py", "from .inner import twice\ndef run(n=21):\n    return twice(n)\n")
    trace = recorded(capsys, tmp_path, "--entry", "pkg.outer:run")
    assert trace["outcome"] == {"kind": "returned", "detail": "42"}
    files = [trace["frames"][step["frame"]]["file"] for step in trace["steps"]]
    assert {"pkg/outer.py", "pkg/inner.py"} <= set(files)
    assert main(["record", str(tmp_path), "--entry", "pkg.none:run"]) == 2


def test_the_table_is_the_default(capsys: Capture) -> None:
    assert main(["record", str(EXAMPLES / "count.py"), "--call", "count('ab', 'b')"]) == 0
    table = capsys.readouterr().out
    assert "call count" in table
    assert "for c in" in table
    assert table.rstrip().splitlines()[-1].startswith("returned 1  ")


def test_the_json_is_a_trace_again(capsys: Capture) -> None:
    assert main(["record", str(EXAMPLES / "account.py"), "--call", "month('Ada')", "--json"]) == 0
    text = capsys.readouterr().out
    assert parse(text).as_json() == json.loads(text)


def test_trust_is_said_and_recorded(tmp_path: Path, capsys: Capture) -> None:
    file = write(tmp_path / "one.py", "x = 1\n")
    assert main(["record", str(file), "--trust", "--json"]) == 0
    printed = capsys.readouterr()
    assert printed.err.startswith("note[trusted]: ")
    assert json.loads(printed.out)["notes"] == ["trusted"]


def test_stored_shown_verified_and_damaged(tmp_path: Path, capsys: Capture) -> None:
    store = tmp_path / "traces"
    for word in ("ab", "cab"):
        call = ["--call", f"count({word!r}, 'b')"]
        assert main(["record", str(EXAMPLES / "count.py"), *call, "-o", str(store)]) == 0
        assert capsys.readouterr().out.startswith("stored: ")
    assert main(["record", str(EXAMPLES / "count.py"), *call, "-o", str(store)]) == 0
    assert capsys.readouterr().out.startswith("already stored: ")
    assert main(["show", str(store), "--number", "1", "--step", "0"]) == 0
    assert "'cab'" in capsys.readouterr().out
    assert main(["verify", str(store)]) == 0
    assert capsys.readouterr().out == f"fine: {store}\n"
    shard = min(store.glob("*.parquet"))
    data = bytearray(shard.read_bytes())
    data[len(data) // 2] ^= 1
    shard.write_bytes(data)
    assert main(["verify", str(store)]) == 1
    assert capsys.readouterr().out.startswith(f"finding: {shard.name}: ")
    assert main(["show", str(store)]) == 1
    assert capsys.readouterr().err.startswith("error[digest]: ")


def test_a_store_keeps_to_its_limits(tmp_path: Path, capsys: Capture) -> None:
    file = write(tmp_path / "one.py", "x = 1\n")
    assert main(["record", str(file), "-o", str(tmp_path / "traces")]) == 0
    assert main(["record", str(file), "-o", str(tmp_path / "traces"), "--max-steps", "9"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("error[fingerprint]: ")
    assert any("limits.steps" in line for line in said[1:])


def test_cost_of_programs(tmp_path: Path, capsys: Capture) -> None:
    file = write(tmp_path / "f.py", (EXAMPLES / "count.py").read_text())
    arguments = ["cost", str(file), str(EXAMPLES / "count.py"), "--call", "count('berry', 'r')", "--tokenizer", "bytes"]
    assert main([*arguments, "--json"]) == 0
    table = json.loads(capsys.readouterr().out)
    one, two = (row["formats"]["compact"]["bytes"] for row in table["traces"])
    assert one == two
    assert table["total"]["compact"]["bytes"] == one + two
    assert main(arguments) == 0
    assert "all 2" in capsys.readouterr().out


def family(pid: int) -> set[tuple[int, str]]:
    """Every descendant of a process, as (pid, start time)."""
    parents: dict[int, int] = {}
    starts: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry.name)], starts[int(entry.name)] = int(fields[1]), fields[19]
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return {(member, starts[member]) for member in found - {pid}}


def alive(member: tuple[int, str]) -> bool:
    """Whether a process still runs; a zombie does not."""
    try:
        fields = Path(f"/proc/{member[0]}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return fields[19] == member[1] and fields[0] not in "ZX"


@pytest.mark.long(reason="starts two commands; test_server.py interrupts a program in its box")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_takes_the_program_with_it(tmp_path: Path, number: signal.Signals) -> None:
    file = write(tmp_path / "sleep.py", "import time\nwhile True:\n    time.sleep(1)\n")
    command = [sys.executable, "-m", "worldline", "record", str(file), "--wall", "600"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, preexec_fn=heed_interrupts) as process:
        deadline = time.monotonic() + PATIENCE
        while len(family(process.pid)) < 3 and time.monotonic() < deadline:
            time.sleep(0.05)
        members = family(process.pid)
        assert len(members) >= 3, "bubblewrap, the zygote and the program"
        process.send_signal(number)
        _, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, said.startswith(b"error[interrupted]: ")) == (130, True)
    deadline = time.monotonic() + PATIENCE
    while any(alive(member) for member in members) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [member for member in members if alive(member)] == []


def test_the_readme_tells_the_truth(capsys: Capture) -> None:
    readme = (EXAMPLES.parent / "README.md").read_text("utf-8")
    code = readme.split("```python\n")[1].split("```")[0]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[0] == code.partition("# ")[2].splitlines()[0]
    call = "paint([[1, 2], [3, 4]])"
    assert main(["debug", str(EXAMPLES / "paint.py"), "--call", call, "--no-interventions"]) == 1
    printed = " ".join(capsys.readouterr().out.split())
    block = readme.split(f'"{call}"\n')[1].split("```")[0].split("\n...\n")[0]
    claims = " ".join(block[block.index("first divergence") :].split())
    assert "missed change" in claims
    assert claims in printed
    confidence = readme.partition(" % confidence")[0].split()[-1]
    assert f"{confidence} % for predicted" in printed


@pytest.mark.parametrize("verb", ["record", "encode", "cost"])
def test_a_recording_that_failed_in_the_tool_exits_3(
    verb: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(program: Program, **_: object) -> Trace:
        return replace(really(program), outcome=Outcome("host-fault", "the sandbox broke"))

    really = recorder.record
    monkeypatch.setattr(recorder, "record", broken)
    (tmp_path / "p.py").write_text("x = 1\n")
    assert main([verb, str(tmp_path / "p.py")]) == 3
    said = capsys.readouterr()
    assert "1 of 1 recording failed in the tool, not in the program: the sandbox broke" in said.err
    assert said.out
