"""Stored traces as expectations: the same behaviour passes, a change is found at its step, an update accepts it."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import worldline
from worldline.cli import main
from worldline.core.errors import FingerprintError, UsageError
from worldline.evaluation.expected.check import TraceCheck, check_traces

pytestmark = pytest.mark.usefixtures("sandbox")
Capture = pytest.CaptureFixture[str]

SHOP = """\
def price(n):
    unit = 4
    return unit * n


def total(counts):
    amount = 0
    for n in counts:
        amount += price(n)
    print(amount)
    return amount
"""
CALLS = ["total([1, 2])", "price(3)"]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A program with the stored traces of two of its calls beside it."""
    file = tmp_path / "shop.py"
    file.write_text(SHOP)
    check = check_traces(worldline.load_program(file), str(tmp_path / "traces"), calls=CALLS, update=True)
    assert check.is_updated
    return file


def checked(file: Path, call: str | None = None, **options: object) -> TraceCheck:
    """The check of a program against the traces beside it."""
    return check_traces(worldline.load_program(file, call=call), str(file.parent / "traces"), **options)  # type: ignore[arg-type]


def edit(file: Path, *changes: tuple[str, str]) -> None:
    text = file.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)


def test_every_stored_run_is_checked(shop: Path) -> None:
    check = checked(shop)
    assert (check.is_unchanged, check.count, check.problems, check.notes) == (True, 2, (), ())


@pytest.mark.parametrize(
    "change",
    [
        ("def price", "# Prices are in cents.\n\n\ndef price"),
        ("return unit * n", "return n * unit"),
        ("amount += price(n)", "amount += 4 * n"),
        ("    amount = 0", "    amount = 0\n    seen = len(counts)"),
    ],
    ids=["moved", "rewritten", "inlined", "a new name"],
)
def test_the_same_behaviour_passes(shop: Path, change: tuple[str, str]) -> None:
    edit(shop, change)
    assert checked(shop).is_unchanged


@pytest.mark.parametrize(
    ("change", "kind", "step", "line"),
    [
        (("unit = 4", "unit = 5"), "value", 5, 2),
        (("return unit * n", "return unit * n + 1"), "result", 7, 3),
        (("print(amount)", "print(-amount)"), "output", 16, 10),
        (("counts:\n", "counts[1:]:\n"), "value", 2, 8),
        (("    return unit * n", "    raise ValueError(n)"), "exception", 6, 3),
    ],
    ids=["value", "result", "output", "iteration", "exception"],
)
def test_a_change_is_found_where_it_happens(
    shop: Path, change: tuple[str, str], kind: str, step: int, line: int
) -> None:
    edit(shop, change)
    check = checked(shop, call="total([1, 2])")
    (compared,) = check.changed
    assert compared.diff is not None
    first = compared.diff.first
    assert first is not None
    assert first.before is not None
    assert (first.kind, first.before.step, first.before.line) == (kind, step, line)
    assert not check.is_unchanged


def test_another_outcome_is_a_change(shop: Path) -> None:
    edit(shop, ("    amount = 0", "    import os\n    os.abort()"))
    (compared,) = checked(shop, call="total([1, 2])").changed
    assert compared.test.outcomes == ("returned", "killed SIGABRT")


def test_a_run_without_a_stored_trace_fails(shop: Path) -> None:
    check = checked(shop, call="price(9)")
    assert not check.is_unchanged
    assert check.problems == (f"price(9): no trace in {shop.parent / 'traces'}; --update records it",)


def test_an_update_accepts_the_change_and_records_what_is_missing(shop: Path) -> None:
    edit(shop, ("unit = 4", "unit = 5"))
    check = checked(shop, calls=["price(9)"], update=True)
    assert (check.is_updated, len(check.changed), check.count) == (True, 2, 2)
    after = checked(shop)
    assert (after.is_unchanged, after.count) == (True, 3)
    assert worldline.verify(str(shop.parent / "traces")) == []
    stored = list(worldline.load_all(str(shop.parent / "traces")))
    assert [trace.program.call for trace in stored] == [*CALLS, "price(9)"]
    assert {trace.program.source for trace in stored} == {shop.read_text()}


def test_an_update_keeps_the_traces_of_other_files(shop: Path) -> None:
    other = shop.with_name("other.py")
    other.write_text("def f():\n    return 1\n")
    checked(other, call="f()", update=True)
    edit(shop, ("unit = 4", "unit = 5"))
    checked(shop, update=True)
    assert (checked(other).count, checked(shop).count) == (1, 2)
    with pytest.raises(FingerprintError, match="steps"):
        checked(other, update=True, limits=worldline.Limits(steps=77))
    assert checked(other).is_unchanged


def test_stored_runs_of_several_versions_are_compared_with_their_own(shop: Path) -> None:
    """`record -o` after a change adds to the directory: each trace is compared with the text it was recorded from."""
    edit(shop, ("def price", "# one\n# two\ndef price"))
    worldline.store(worldline.record(worldline.load_program(shop, call="price(8)")), str(shop.parent / "traces"))
    edit(shop, ("# one\n", ""), ("unit = 4", "unit = 6"))
    check = checked(shop)
    assert [len(comparison.tests) for comparison in check.comparisons] == [2, 1]
    places = [compared.diff.first.before for compared in check.changed if compared.diff and compared.diff.first]
    assert [place.line for place in places if place is not None] == [2, 2, 4]


def test_what_differs_in_any_two_executions_is_named_and_not_compared(tmp_path: Path) -> None:
    file = tmp_path / "clock.py"
    file.write_text("import time\ndef f(n):\n    now = time.perf_counter_ns()\n    total = n + 1\n    return total\n")
    checked(file, call="f(1)", update=True)
    check = checked(file)
    assert check.is_unchanged
    assert check.notes == ("not compared, because two executions of the same sources differ: now of f (clock.py)",)
    edit(file, ("n + 1", "n + 2"))
    assert not checked(file).is_unchanged


def test_a_seed_makes_random_values_comparable(tmp_path: Path) -> None:
    file = tmp_path / "dice.py"
    file.write_text("import random\ndef f():\n    first = random.randrange(10**9)\n    return first\n")
    control = worldline.choose_control(seed=3)
    checked(file, call="f()", update=True, control=control)
    assert checked(file, control=control).notes == ()
    edit(file, ("    first", "    random.random()\n    first"))
    assert not checked(file, control=control).is_unchanged


def test_another_interpreter_is_named(shop: Path) -> None:
    folder = shop.parent / "traces"
    traces = list(worldline.load_all(str(folder)))
    shutil.rmtree(folder)
    for trace in traces:
        worldline.store(replace(trace, interpreter=replace(trace.interpreter, version="3.11.0rc1")), str(folder))
    check = checked(shop)
    assert check.is_unchanged
    assert check.notes[0].startswith("recorded with cpython 3.11.0rc1, executed with cpython 3.")


def test_other_languages_are_checked(tmp_path: Path) -> None:
    if shutil.which("node") is None:
        pytest.skip("no node on this machine")
    file = tmp_path / "shop.js"
    file.write_text("function price(n) {\n  let unit = 4;\n  return unit * n;\n}\n")
    checked(file, call="price(3)", update=True)
    edit(file, ("function", "// moved\nfunction"))
    assert checked(file).is_unchanged
    edit(file, ("unit = 4", "unit = 5"))
    (compared,) = checked(file).changed
    assert compared.diff is not None
    assert compared.diff.first is not None
    assert [(name.name, name.before, name.after) for name in compared.diff.first.names] == [("unit", "4", "5")]


def test_a_run_that_is_not_executed_fails(shop: Path) -> None:
    shop.write_text("def price(:\n")
    check = checked(shop, call="price(3)")
    assert check.problems == ("price(3): not executed: unsupported source: SyntaxError in line 1",)
    checked(shop, update=True)
    assert len(list(worldline.load_all(str(shop.parent / "traces")))) == 2, "an update needs every run"


def test_a_path_in_the_traces_is_not_opened(shop: Path) -> None:
    """A stored trace may name any file: only the file that the user names is read, and only its own runs."""
    secret = shop.parent / "secret.py"
    secret.write_text("def price(n):\n    return 'secret'\n")
    trace = worldline.load(str(shop.parent / "traces"), number=1)
    folder = shop.parent / "hostile"
    for name in (str(secret), "../secret.py", "shop.py"):
        files = ((str(secret), ""), ("../secret.py", ""))
        program = replace(trace.program, name=name, files=files)
        worldline.store(replace(trace, program=program), str(folder))
    check = check_traces(worldline.load_program(shop), str(folder))
    assert (check.count, check.is_unchanged) == (1, True)
    with pytest.raises(UsageError, match=r"no trace of secret\.py"):
        check_traces(worldline.load_program(secret), str(folder))


def test_the_command(shop: Path, capsys: Capture, tmp_path: Path) -> None:
    traces, calls, page = str(tmp_path / "traces"), tmp_path / "calls.txt", tmp_path / "page.html"
    calls.write_text("# what we promise\n\n" + "\n".join(CALLS) + "\n")
    assert main(["record", str(shop), "--call-list", str(calls), "--expect", traces]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line == f"unchanged: shop.py compared with {traces}: 2 runs, the same behaviour"
    edit(shop, ("unit = 4", "unit = 5"))
    assert main(["record", str(shop), "--expect", traces, "--html", str(page)]) == 1
    text = capsys.readouterr().out
    assert text.startswith(f"changed: shop.py compared with {traces}: 2 of 2 runs\n")
    assert "shop.py, price, line 2: unit = 4 before, 5 after\n" in text
    assert "step 5, in a changed line" in text
    assert "unit = 4 before, 5 after" in page.read_text()
    assert main(["record", str(shop), "--expect", traces, "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["unchanged"], document["compared"], len(document["changed"])) == (False, 2, 2)
    assert main(["record", str(shop), "--expect", traces, "--update"]) == 0
    assert main(["record", str(shop), "--expect", traces]) == 0


def test_many_calls_are_recorded_by_one_command(shop: Path, capsys: Capture, tmp_path: Path) -> None:
    calls, out = tmp_path / "calls.txt", str(tmp_path / "out")
    calls.write_text("\n".join(CALLS))
    assert main(["record", str(shop), "--call-list", str(calls), "-o", out]) == 0
    assert [trace.program.call for trace in worldline.load_all(out)] == CALLS
    capsys.readouterr()
    assert main(["record", str(shop), "--call-list", str(calls), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["traces"]
    assert [row["outcome"]["detail"] for row in rows] == ["12", "12"]


def test_one_trace_in_a_json_file_is_an_expectation(shop: Path, capsys: Capture, tmp_path: Path) -> None:
    stored = tmp_path / "price.json"
    assert main(["record", str(shop), "--call", "price(3)", "--json"]) == 0
    stored.write_text(capsys.readouterr().out)
    assert main(["record", str(shop), "--expect", str(stored)]) == 0
    edit(shop, ("unit = 4", "unit = 5"))
    assert main(["record", str(shop), "--expect", str(stored)]) == 1
    assert main(["record", str(shop), "--expect", str(stored), "--update"]) == 0
    assert main(["record", str(shop), "--expect", str(stored)]) == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--update"], "name them with --expect"),
        (["--html", "x.html"], "pass --expect TRACES"),
        (["--expect", "nowhere"], "there are no traces at nowhere"),
        (["--call-list", "nowhere"], "No such file"),
        (["--call-list", "malformed.txt", "--expect", "traces"], "a call is one expression"),
        (["--call-list", "empty.txt"], "has no call"),
        (["--call-list", "shop.py", "--expect", "traces", "--since", "HEAD"], "pass one of them"),
    ],
)
def test_usage(shop: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str) -> None:
    (shop.parent / "malformed.txt").write_text("price(3)\nprice(\n")
    (shop.parent / "empty.txt").write_text("# nothing\n")
    monkeypatch.chdir(shop.parent)
    assert main(["record", "shop.py", *words]) == 2
    assert message in capsys.readouterr().err
