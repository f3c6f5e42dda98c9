"""`worldline plan reach` end to end: the shipped model, the box, the page, and bad input in one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from worldline.cli import main


@pytest.mark.usefixtures("sandbox")
def test_a_robot_reaches_its_goal_in_one_execution(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "tree.html"
    words = ["plan", "reach", "robot", "--goal", "x == 1 and y == 1", "--beside", "--json", "--html", str(page)]
    assert main([*words, "-M", "threads=1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert sorted(found["plan"]) == ["right", "up"]
    assert found["executions"] == 1
    assert found["beside"]["executions"] > 1
    assert [node["command"] for node in found["nodes"] if node["chosen"]] == ["start", *found["plan"]]
    text = page.read_text("utf-8")
    assert "confirmed by an execution" in text
    assert "<script" not in text


@pytest.mark.usefixtures("sandbox")
def test_a_file_that_reads_its_commands_and_a_goal_out_of_reach(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "lamp.py"
    file.write_text("on = 0\nwhile True:\n    word = input()\n    if word == 'flip':\n        on = 1 - on\n")
    words = [
        "plan",
        "reach",
        str(file),
        "--goal",
        "on == 7",
        "--max-commands",
        "2",
        "--simulations",
        "3",
        "-M",
        "threads=1",
    ]
    assert main(words) == 1
    assert "none:" in capsys.readouterr().out


DOOR = """
def main():
    x, has_key, is_open = 0, False, False
    while True:
        command = input()
        if command == "left":
            x = max(0, x - 1)
        elif command == "right":
            if x < 2 or is_open:
                x = min(4, x + 1)
        elif command == "take":
            if x == 0:
                has_key = True
        elif command == "unlock":
            if has_key and x == 2:
                is_open = True

main()
"""


@pytest.mark.usefixtures("sandbox")
def test_guarded_commands_are_executed_where_predictions_lead_nowhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "door.py"
    file.write_text(DOOR)
    words = ["plan", "reach", str(file), "--goal", "x == 4", "--simulations", "2", "-M", "threads=1"]
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["plan"] == ["take", "right", "right", "unlock", "right", "right"]
    assert found["executions"] > found["searched"] > 0
    assert main([*words, "--executions", "9"]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "breadth-first found no plan either" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["robot", "--goal", "x = 3"], "the goal 'x = 3' is not Python"),
        (["robot", "--goal", "f(x) == 3"], "is not a name"),
        (["nobody", "--goal", "x == 3"], "no machine 'nobody': use counter, robot, stack, or a Python file"),
        (["robot", "--goal", "x == 3", "--model", "interpreter"], "has no state to search"),
    ],
)
def test_bad_input_gets_one_sentence(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "reach", *words]) == 2
    after_text = capsys.readouterr().err
    assert said in after_text
    assert "Traceback" not in after_text


def test_a_goal_about_a_name_that_the_machine_does_not_have_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "reach", "robot", "--goal", "z == 3 and x == 1"]) == 2
    assert "the goal uses z, which robot.py never assigns; it has " in capsys.readouterr().err
