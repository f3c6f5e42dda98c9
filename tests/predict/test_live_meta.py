"""A live evaluation over HTTP, as a user makes it: bench, forced actions, interventions, compare, report.

The server executes each program and plants one fault by a seeded rule (`meta.executed`), which has the consequences it
would have. Its log says what it planted, so every verdict is checked against that.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from meta.zoo import ZOO

from worldline.codec.cwm.stage import staged
from worldline.core.program import Program

pytest.importorskip("httpx2", reason="the server extra is not installed: pip install 'worldline[server]'")
pytest.importorskip("tiktoken")
pytest.importorskip("llama_models", reason="Llama 3's tokenizer: pip install --no-deps llama-models")
pytestmark = [
    pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="only CPython 3.11 traces like Meta"),
    pytest.mark.usefixtures("sandbox"),
    pytest.mark.long(reason="benches and interventions over HTTP"),
]

SEED = 5
LOOP = "def f(n):\n    total = 0\n    for i in range(n):\n        if i % 3:\n            total += i\n    return total\n"
ORDER = """\
def f(words):
    seen = {}
    for word in words:
        key = word.lower()
        if key in seen:
            seen[key] += 1
        else:
            seen[key] = 1
    best = max(seen.values())
    return sorted(key for key in seen if seen[key] == best)
"""
NESTED = """\
def clamp(x, low, high):
    if x < low:
        return low
    return min(x, high)
def f(xs):
    out = []
    for x in xs:
        y = clamp(x, 0, 9)
        out.append(y * y)
    text = '-'.join(str(y) for y in out)
    return text
"""
ROOTS = """\
def root(n):
    if n < 0:
        raise ValueError(n)
    guess = n
    while guess * guess > n:
        guess = (guess + n // guess) // 2
    return guess
def f(ns):
    found = []
    for n in ns:
        try:
            found.append(root(n))
        except ValueError as error:
            found.append(str(error))
    return found
"""
# Those that the recorder and the tracer spell alike, so that a step of the one is a frame of the other.
SPELLED_ALIKE = (
    "ellipsis and friends", "recursion", "nested calls", "arguments", "match", "several statements on a line",
    "continued lines", "sorting",
)  # fmt: skip


def programs() -> dict[str, Program]:
    """The programs, by name; the long ones are longer than what a run stores of a truth."""
    zoo = {name: ZOO[name] for name in SPELLED_ALIKE}
    own = {f"loop {n}": Program(source=LOOP, call=f"f({n})") for n in (*range(2, 6), *range(40, 48))}
    lists = (["a", "B", "b"], ["x"], ["to", "be", "or", "not", "TO", "BE"])
    own |= {f"order {i}": Program(source=ORDER, call=f"f({words!r})") for i, words in enumerate(lists)}
    own |= {f"nested {i}": Program(source=NESTED, call=f"f({[i, -i, 5 * i]!r})") for i in range(6)}
    own |= {f"roots {n}": Program(source=ROOTS, call=f"f({[n, 1 - n, 4 * n]!r})") for n in range(2, 10)}
    return zoo | own


@dataclass(frozen=True)
class Live:
    """The server, and the suite as a file."""

    port: int
    suite: Path

    @property
    def scheme(self) -> str:
        return f"server:http://127.0.0.1:{self.port}/seeded-{SEED}/v1#facebook/cwm"

    def log(self) -> list[dict[str, Any]]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/log", timeout=600) as answer:
            return list(json.load(answer)["log"])

    def planted(self) -> dict[str, tuple[str, int, str]]:
        """Kind, step and name of the fault in each program's first answer; `right` where there is none."""
        first: dict[str, dict[str, Any]] = {}
        for entry in self.log():
            first.setdefault(entry["source"], entry)
        found = {}
        for name, program in programs().items():
            entry = first[staged(program).source]
            fault = entry["fault"]
            at = fault["frame"] - entry["given"] if fault else -1
            found[name] = (fault["kind"], at, fault["name"]) if fault else ("right", -1, "")
        return found


def ran(*words: str) -> Any:
    """What a command prints as JSON."""
    command = [sys.executable, "-m", "worldline", *words, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def records(run: Path) -> dict[str, dict[str, Any]]:
    """The judged records of a run, by name."""
    rows = map(json.loads, (run / "records.jsonl").read_text("utf-8").splitlines())
    return {row["name"]: row for row in rows if row["kind"] == "asked"}


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    suite = tmp_path_factory.mktemp("live") / "suite.jsonl"
    rows = ({"id": name, "source": one.source, "call": one.call} for name, one in programs().items())
    suite.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    script = Path(__file__).with_name("meta_server.py")
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": "0"},  # the recorder's
    )
    assert process.stdout is not None
    try:
        yield Live(int(process.stdout.readline()), suite)
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def free(live: Live) -> Path:
    """The run without forcing."""
    out = live.suite.parent / "free"
    assert ran("bench", str(live.suite), "--model", live.scheme, "-o", str(out))["faults"] == 0
    return out


@pytest.fixture(scope="module")
def forced(live: Live, free: Path) -> Path:
    """The run with the true actions forced."""
    out = live.suite.parent / "forced"
    words = ("--model", live.scheme, "--force", "actions", "-o", str(out))
    assert ran("bench", str(live.suite), *words)["faults"] == 0
    return out


def rights(row: dict[str, Any]) -> bool:
    """Whether the answer of a record is right."""
    return bool(row["verdict"]["answer"] == "right")


def wanted(kind: str, at: int, row: dict[str, Any]) -> str:
    """The cause that a planted fault has."""
    if kind == "ends" and at >= row["verdict"]["steps"]:
        return ""  # only frames of `main` are missing, which the prompt determines
    if kind == "ends" and not at:
        return "empty"
    if kind == "prose" and at >= row["verdict"]["steps"]:
        return "run-on"
    causes = {"value": "wrong value", "action": "wrong action", "lost": "lost variable", "ends": "wrong action"}
    return {**causes, "prose": "malformed", "cut": "budget, right up to the cut", "right": ""}[kind]


def test_every_planted_fault_is_found_at_its_step_with_its_cause(live: Live, free: Path) -> None:
    rows, planted = records(free), live.planted()
    assert set(rows) == set(planted)
    kinds = Counter(kind for kind, _, _ in planted.values())
    assert all(kinds[kind] >= 2 for kind in ("right", "value", "action", "lost", "cut", "ends", "prose")), kinds
    for name, (kind, at, variable) in planted.items():
        verdict, cause = rows[name]["verdict"], wanted(kind, at, rows[name])
        if verdict["cause"] == "budget, wrong before the cut":  # what follows from the fault goes on and on
            assert (verdict["agreed"], verdict["trace"]) == (at, "truncated"), name
            continue
        assert verdict["cause"] == cause, name
        assert verdict["agreed"] == (at if cause else verdict["steps"]), name
        assert (verdict["trace"] == "right") == (not cause), name
        assert verdict["note"].startswith(variable), name


def test_true_actions_fix_the_wrong_actions_alone(live: Live, free: Path, forced: Path) -> None:
    before, after = records(free), records(forced)
    for name, (kind, at, _) in live.planted().items():
        verdict = after[name]["verdict"]
        if kind in ("action", "right"):
            assert (verdict["trace"], verdict["answer"]) == ("right", "right"), name
        elif kind in ("value", "lost"):
            assert (verdict["cause"], verdict["agreed"]) == (wanted(kind, at, before[name]), at), name
        elif at < verdict["steps"]:
            assert (verdict["trace"] == "right", verdict["agreed"]) == (False, at), name


def test_the_comparison_pairs_all_samples(live: Live, free: Path, forced: Path) -> None:
    told = ran("compare", str(free), str(forced))
    planted, before, after = live.planted(), records(free), records(forced)
    fixed = {name for name in planted if rights(before[name]) < rights(after[name])}
    assert (told["answer"]["n"], told["answer"]["regressed"]) == (len(planted), 0)
    assert {flip["name"] for flip in told["flips"]} == fixed
    actions = {name for name, (kind, _, _) in planted.items() if kind == "action"}
    assert fixed >= {name for name in actions if not rights(before[name])} > set()
    done = subprocess.run(
        [sys.executable, "-m", "worldline", "report", str(free)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    page = (free / "report.html").read_text("utf-8")
    assert "lost variable" in page
    assert "wrong action" in page


def test_interventions_do_what_the_planted_faults_allow(live: Live, free: Path) -> None:
    rows, planted = records(free), live.planted()
    assert any(not row["truth"].endswith("<|end_of_text|>") for row in rows.values()), "no truth is stored in part"
    told = ran("intervene", str(free), "--interventions", "budget,repair,actions,guard")
    names = {row["at"]: name for name, row in rows.items()}
    place = {sample: names[at] for sample, at in enumerate(told["at"])}
    failed = {name for name, row in rows.items() if not rights(row)}
    assert (told["unjudged"], {place[sample] for sample in told["failed"]}) == (0, failed)
    tried: dict[str, dict[str, str]] = {}
    for trial in told["tried"]:
        tried.setdefault(place[trial["sample"]], {})[trial["intervention"]] = trial["outcome"]
    for name in failed:
        (kind, at, _), outcomes = planted[name], tried[name]
        if kind == "cut":
            assert outcomes == {"budget": "wrong", "repair": "unfit", "actions": "unfit", "guard": "unfit"}, name
        elif at < rows[name]["verdict"]["steps"] - 1:
            # The true frame at the divergence replaces the fault, and the model continues rightly from there.
            assert outcomes["repair"] == "recovered", name
            assert outcomes["actions"] == ("recovered" if kind == "action" else outcomes["actions"]), name
            assert kind in ("action", "right") or outcomes["actions"] in ("wrong", "unfit"), name
    assert not any(outcomes[name] == "regressed" for outcomes in tried.values() for name in ("repair", "actions"))
