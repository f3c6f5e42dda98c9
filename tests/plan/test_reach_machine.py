"""Machines are read off their source: where they ask, for which commands, and how a command stands in a text."""

from __future__ import annotations

import pytest

from worldline.codec.compact.writer import encode_steps
from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.plan.reach.machine import CommandMachine, read_machine, shipped_machines
from worldline.recording.recorder import SandboxWorker, prepare

READING = """while True:
    word = input()
    if word in ('a', 'b', 'c'):
        x = 1
"""


def machine(source: str, *commands: str) -> CommandMachine:
    return read_machine(Program(source=source, name="m.py"), commands)


def test_the_shipped_machines_and_their_commands() -> None:
    found = {name: machine(source).commands for name, source in shipped_machines().items()}
    assert found == {
        "counter": ("add", "sub", "grow", "zero"),
        "robot": ("right", "left", "up", "down"),
        "stack": ("one", "copy", "add"),
    }


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize(("source", "call"), [(shipped_machines()["robot"], "robot()"), (READING, None)])
def test_command_is_a_line_of_the_text(source: str, call: str | None) -> None:
    found = read_machine(Program(source=source, call=call))
    worker = SandboxWorker(prepare(limits=Limits(steps=200), python=None, core="auto", trust=False))
    try:
        program, control = found.run((2, 0, 1))
        text = encode_steps(worker.record(program, control=control))
    finally:
        worker.close()
    lines = [line + b"\n" for line in text.split(b"\n") if line.startswith(b"%")]
    assert lines[:3] == [found.line(2), found.line(0), found.line(1)]


def test_commands_by_match_by_in_and_by_hand() -> None:
    after_text = """while True:
    c = input()
    match c:
        case 'a' | 'b':
            x = 1
        case 'd':
            x = 2
"""
    assert machine(after_text).commands == ("a", "b", "d")
    assert machine("while True:\n    c = input()\n    if c in ('p', 'q'):\n        x = 1\n").commands == ("p", "q")
    assert machine("c = input()\n", "push 1", "pop").commands == ("push 1", "pop")
    assert machine("import random\nc = random.randrange(3)\n").kind == "below 3"
    named = "import random\nWAYS = ('n', 's')\nc = random.choice(WAYS)\n"
    assert machine(named).commands == ("n", "s")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("x = 1\n", "has no such place"),
        ("a = input()\nb = input()\n", "has 2 such places"),
        ("a = input()\n", "has 0 commands"),
        ("a = (\n", r"is not Python: .*, line 1$"),
        ("import random\nc = random.choice(f())\n", "must be a literal"),
        ("import random\nc = random.randrange(1000)\n", "has 65 commands"),
    ],
)
def test_program_that_is_not_a_machine_is_refused(source: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        machine(source)
