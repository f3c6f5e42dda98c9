"""Texts and numbers that nobody expects, through `score` and `bench`: malformed or None, and never the end of a run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from worldline.cli import main
from worldline.codec.cwm import writer as cwm
from worldline.core.program import Program
from worldline.evaluation.run.directory import newest, verify
from worldline.recording.recorder import record

CODE = "def f(s):\n    t = s * 2\n    return t\n"
CALL = "f('ab')"
LONG = "9" * 5_000  # more than `int` reads
TEXTS = {
    "beyond Unicode": r"'\Uffffffff'", "just beyond Unicode": r"'\U00110000'", "beyond a C int": r"'\U80000000'",
    "half a pair": "'\ud800'", "half a pair, escaped": r"'\ud800'", "NUL": "'\0'", "no such name": r"'\N{NO}'",
    "an incomplete escape": r"'\x4'", "a backslash": "'\\'", "bytes beyond ASCII": "b'\u00ff'",
    "too long a number": LONG, "a number of ten million digits": "9" * 10_000_000, "too long a float": f"{LONG}.0",
    "an exponent": f"1e{LONG}", "infinite": "1e999", "a nan": "nan(ffffffffffffffff)",
    "no nan": "nan(0000000000000000)",
    "deep lists": "[" * 100_000, "deep dicts": "{1:" * 100_000, "deep tuples": "(" * 50_000 + ")" * 50_000,
    "deep sets": "{" * 300 + "}" * 300, "a long serial": f"#{LONG}[]", "a long object": f"A#{LONG}()",
    "a long cut": f"...<list {LONG}>", "a long range": f"range({LONG})", "a zero range": "range(1, 2, 0)",
    "a marked-up value": "<script>alert(1)</script>", "an ANSI escape": "\x1b[2J", "a line separator": "'\u2028'",
    "another digit": "\u0663", "words": "I do not know", "an f-string": "f'{1}'", "a call": "__import__('os')",
}  # fmt: skip


@pytest.fixture(scope="module")
def true() -> str:
    """The true text, in Meta's format."""
    trace = record(Program(source=CODE, call=CALL))
    return cwm.encode(trace).removeprefix(cwm.prompt(CODE, cwm.entry_line(trace)))


def answered(true: str, value: str) -> str:
    """The true text, but for a value: what the call is said to return."""
    head, mark, tail = true.rpartition(json.dumps("'abab'"))
    assert mark
    return head + json.dumps(value) + tail


def jsonl(path: Path, rows: list[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.long(reason="fuzzing: thousands of odd answers")
def test_every_odd_answer_is_judged_and_costs_no_other(
    tmp_path: Path, true: str, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = {name: answered(true, value) for name, value in TEXTS.items()}
    texts |= {f"{name}, alone": value for name, value in TEXTS.items()}
    texts |= {f"{name}, compact": f"(1 s='ab'\n2\n3 t={value}\n){value}\n.\n" for name, value in TEXTS.items()}
    texts |= {f"{name}, said": f"[ANSWER]assert {CALL} == {value}[/ANSWER]" for name, value in TEXTS.items()}
    rows = [{"id": name, "code": CODE, "call": CALL, "generation": text} for name, text in texts.items()]
    rows += [{"id": f"right {n}", "code": CODE, "call": CALL, "generation": true} for n in range(2)]
    path = jsonl(tmp_path / "odd.jsonl", rows)
    assert main(["score", "crux", str(path), "--json", "-o", str(tmp_path / "run")]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["n"], report["faults"], report["answer"]["right"]) == (len(rows), 0, 2)
    assert verify(tmp_path / "run") > 0
    assert len(newest(tmp_path / "run")) == len(rows)


FIELDS = [
    ("a long number", LONG), ("infinite", "1e999"), ("a nan", "NaN"), ("an infinity", "-Infinity"), ("true", "true"),
    ("a list", '[[["x"]]]'), ("an object", '{"x": {"text": 1}}'), ("deep", "[" * 900 + "]" * 900), ("null", "null"),
    ("half a pair", '"\\ud800"'), ("a NUL", '"\\u0000"'),
]  # fmt: skip


@pytest.mark.parametrize("role", ["id", "generation", "answer", "expected", "input", "prompt", "entry", "unknown"])
def test_every_odd_field_of_a_row_costs_no_other(tmp_path: Path, true: str, role: str) -> None:
    good = {"code": CODE, "call": CALL, "generation": true}
    lines = [json.dumps({**good, "id": "good"})]
    for name, text in FIELDS:
        row = json.dumps({**good, "id": name, role: "HERE"}).replace('"HERE"', text)
        lines.append(row)
    path = tmp_path / "odd.jsonl"
    path.write_text("\n".join(lines) + "\n")
    assert main(["score", "crux", str(path), "-o", str(tmp_path / "run")]) == 0
    records = newest(tmp_path / "run")
    assert records[0].judged["answer"] == "right"
    assert len(records) == len(lines)


@pytest.mark.parametrize(("name", "text"), [*FIELDS, ("a whole number", "-" + LONG), ("an overflow", "-1e308")])
def test_an_odd_log_probability_of_a_replayed_row_is_none(tmp_path: Path, name: str, text: str) -> None:
    program = Program(source=CODE, call=CALL)
    row = {"digest": program.digest, "text": "(1 s='ab'\n2\n3 t='abab'\n)'abab'\n.\n"}
    path = tmp_path / "replay.jsonl"
    path.write_text(json.dumps({**row, "logprob": "HERE"}).replace('"HERE"', text) + "\n")
    data = jsonl(tmp_path / "crux.jsonl", [{"code": CODE, "input": "'ab'", "output": "'abab'", "id": "one"}])
    out = tmp_path / "run"
    assert main(["bench", "crux", "--data", str(data), "--model", f"replay:{path}", "-o", str(out)]) == 0
    (found,) = newest(out).values()
    assert found.judged["answer"] == "right"
    assert found.found.logprob == (-1e308 if name == "an overflow" else None)
