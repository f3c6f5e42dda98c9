"""`record --seed`, `--live`, `--replay`, `--draw`, for real: who decides a program's hidden inputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from worldline.cli import main

Capture = pytest.CaptureFixture[str]
DICE = "import random\na = random.randint(1, 6)\nb = random.randint(1, 6) + random.randint(1, 6)\nprint(a, b)\n"

pytestmark = pytest.mark.usefixtures("sandbox")


def recorded(capsys: Capture, *arguments: object, code: int = 0) -> dict[str, Any]:
    assert main(["record", "--json", *map(str, arguments)]) == code
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


@pytest.fixture
def dice(tmp_path: Path) -> Path:
    (tmp_path / "dice.py").write_text(DICE)
    return tmp_path / "dice.py"


def test_a_seed_decides_hidden_inputs(dice: Path, capsys: Capture) -> None:
    first, same = (recorded(capsys, dice, "--seed", 7) for _ in range(2))
    assert first == same
    assert [each["kind"] for each in first["hidden"]] == ["below 6"] * 3
    assert "hidden" in recorded(capsys, dice, "--live")


@pytest.mark.parametrize("stored", ["json", "shards"])
def test_a_stored_trace_is_replayed(dice: Path, tmp_path: Path, capsys: Capture, stored: str) -> None:
    if stored == "json":
        first = recorded(capsys, dice, "--live")
        where = tmp_path / "first.json"
        where.write_text(json.dumps(first))
    else:
        where = tmp_path / "traces"
        first = recorded(capsys, dice, "--live", "-o", where)
    assert recorded(capsys, dice, "--replay", where, "--seed", 3) == first


def test_one_draw_is_another(dice: Path, tmp_path: Path, capsys: Capture) -> None:
    first = recorded(capsys, dice, "--seed", 7)
    where = tmp_path / "first.json"
    where.write_text(json.dumps(first))
    at = first["hidden"][0]["step"]
    other = recorded(capsys, dice, "--replay", where, "--draw", f"{at}=5")
    assert other["output"].split()[0] == "6"
    assert other["output"].split()[1] == first["output"].split()[1]
    at = first["hidden"][2]["step"]
    other = recorded(capsys, dice, "--replay", where, "--draw", f"{at}.0=0", "--draw", f"{at}.1=0")
    assert other["output"].split() == [first["output"].split()[0], "2"]


def test_a_replay_of_another_program_says_where_it_parts(dice: Path, tmp_path: Path, capsys: Capture) -> None:
    where = tmp_path / "first.json"
    where.write_text(json.dumps(recorded(capsys, dice, "--seed", 7)))
    dice.write_text(DICE.replace("b = random.randint(1, 6)", "b = random.random()"))
    assert main(["record", str(dice), "--replay", str(where)]) == 1
    assert "note[parted]: at draw 2: below 6 was given, float asked for\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--live", "--seed", "1"], "--live takes real hidden inputs"),
        (["--draw", "1=2"], "say --replay TRACE"),
        (["--replay", "@", "--draw", "1=2"], "nothing was drawn at step 1"),
        (["--replay", "@", "--draw", "@=2"], "made 2 draws; say which"),
        (["--replay", "@", "--draw", "@.2=2"], "made 2 draws, from"),
        (["--replay", "@", "--draw", "@.0=6"], "no draw of the kind below 6 is 6"),
        (["--replay", "@", "--draw", "@.0='3'"], "no draw of the kind below 6 is '3'"),
        (["--replay", "@", "--draw", "x=6"], "is not STEP=VALUE"),
    ],
)
def test_what_makes_no_sense_is_refused(
    dice: Path, tmp_path: Path, capsys: Capture, options: list[str], why: str
) -> None:
    first = recorded(capsys, dice, "--seed", 7)
    where = tmp_path / "first.json"
    where.write_text(json.dumps(first))
    step = first["hidden"][2]["step"]
    given = [each.replace("@", str(step)) if "=" in each else each.replace("@", str(where)) for each in options]
    assert main(["record", str(dice), *given]) == 2
    assert why in capsys.readouterr().err


def test_a_replay_that_is_not_the_same_though_its_draws_are(dice: Path, tmp_path: Path, capsys: Capture) -> None:
    where = tmp_path / "first.json"
    where.write_text(json.dumps(recorded(capsys, dice, "--seed", 7)))
    dice.write_text(DICE.replace("print(a, b)", "print(b, a)"))
    assert main(["record", str(dice), "--replay", str(where)]) == 1
    assert "note[parted]: at step 5, though all draws are the same\n" in capsys.readouterr().err


def test_a_replay_says_what_of_the_run_is_another(dice: Path, tmp_path: Path, capsys: Capture) -> None:
    where = tmp_path / "first.json"
    where.write_text(json.dumps(recorded(capsys, dice, "--seed", 7)))
    same = tmp_path / "renamed.py"
    same.write_text(DICE)
    assert main(["record", str(same), "--replay", str(where)]) == 0
    capsys.readouterr()
    dice.write_text(DICE.replace("print(a, b)", "print(b, a, input())"))
    assert main(["record", str(dice), "--stdin", "x", "--replay", str(where)]) == 1
    assert f"hint: {where} is a run with another source and stdin\n" in capsys.readouterr().err


def test_a_replay_of_a_program_that_cannot_be_scheduled(dice: Path, tmp_path: Path, capsys: Capture) -> None:
    where = tmp_path / "first.json"
    where.write_text(json.dumps(recorded(capsys, dice, "--seed", 7)))
    foreign = tmp_path / "dice.c"
    foreign.write_text("int main(void) { return 0; }\n")
    assert main(["record", str(foreign), "--replay", str(where), "--schedule", "1"]) == 1
    said = capsys.readouterr()
    assert "only threads of Python programs are scheduled" in said.out
    assert "cpython" not in said.out
    assert "note[parted]: nothing was run\n" in said.err


RACE = """\
import threading
out = []
ts = [threading.Thread(target=out.append, args=(k,)) for k in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
"""


@pytest.mark.parametrize("value", ["7", "x"])
def test_a_thread_that_could_not_run_is_refused(tmp_path: Path, capsys: Capture, value: str) -> None:
    (tmp_path / "race.py").write_text(RACE)
    first = recorded(capsys, tmp_path / "race.py", "--seed", 7)
    where = tmp_path / "first.json"
    where.write_text(json.dumps(first))
    choice = next(each for each in first["hidden"] if each["kind"].startswith("thread"))
    draw = f"{choice['step']}.0={value}"
    assert main(["record", str(tmp_path / "race.py"), "--replay", str(where), "--draw", draw]) == 2
    assert f"no draw of the kind {choice['kind']} is {value}" in capsys.readouterr().err


def test_a_program_is_encoded_under_a_control(
    dice: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["encode", str(dice), "--seed", "7", "--hidden", "given"]) == 0
    text = capsysbinary.readouterr().out
    assert text.count(b"%'below 6'=") == 6  # three in the prompt, three in the steps
    assert main(["record", str(dice), "--seed", "7", "-o", str(tmp_path / "first")]) == 0
    capsysbinary.readouterr()
    assert main(["encode", str(tmp_path / "first"), "--hidden", "given"]) == 0
    assert capsysbinary.readouterr().out == text
    assert main(["encode", str(dice), "--replay", str(tmp_path / "first"), "--hidden", "given"]) == 0
    assert capsysbinary.readouterr().out == text
    assert main(["encode", str(tmp_path / "first"), "--seed", "7"]) == 2
    assert b"with its own hidden inputs" in capsysbinary.readouterr().err


def test_a_control_of_what_is_not_run_is_refused(dice: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main(["imagine", str(dice), "--seed", "7"]) == 2
    assert "--hidden given" in capsys.readouterr().err
    (tmp_path / "dice.c").write_text("int main(void) { return 0; }\n")
    assert main(["imagine", str(tmp_path / "dice.c"), "--schedule", "7", "--hidden", "given"]) == 2
    assert "only threads of Python programs are scheduled" in capsys.readouterr().err
