"""A small robot on a line whose texts are written by hand, and an engine that knows them: a stand-in for a model.

The engine says the next byte of the known text that begins as what it has read; with `wrong`, some texts are flawed.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from worldline.core.program import Program
from worldline.plan.reach.machine import CommandMachine, read_machine
from worldline.plan.reach.predicted_machine import ASKS, PredictedMachine, names_after
from worldline.plan.reach.runs import MachineStop
from worldline.predict.local import Local
from worldline.predict.prediction import PredictionRequest

SOURCE = """import random

def robot():
    x = 0
    while True:
        command = random.choice(['add', 'double'])
        if command == 'add':
            x = x + 1
        else:
            x = x * 2
"""
DEPTH = 5


def machine() -> CommandMachine:
    return read_machine(Program(source=SOURCE, call="robot()"))


def text_of(plan: tuple[int, ...], *, wrong: bool = False, stuck: bool = False) -> bytes:
    """The text of a run up to where it asks behind a plan; wrong: 1 + 1 is 3; stuck: the first command does nothing."""
    x, command, lines = 0, "", ["(3", "4 x=0", "5"]
    for number in plan:
        name = ("add", "double")[number]
        lines.append(f"%'below 2'={number}")
        lines.append("6" if name == command else f"6 command='{name}'")
        first, command, before = not command, name, x
        x = x + 1 if number == 0 else x * 2
        x = 3 if wrong and number == 0 and before == 1 else x
        x = before if stuck and first else x
        lines.append("7")
        line = ("8", "10")[number]
        lines.append(line if x == before else f"{line} x={x}")
        lines.append("5")
    return "".join(f"{line}\n" for line in lines).encode()


class TableState:
    def __init__(self, read: bytes = b"") -> None:
        self.read = read

    def fork(self) -> TableState:
        return TableState(self.read)


class TableEngine:
    """Knows every text of up to `DEPTH` commands; of a flawed one, the true one too, for who was told better."""

    def __init__(self, *, wrong: bool = False, stuck: bool = False) -> None:
        self._prompt = PredictionRequest(program=machine().program).prompt
        plans = [plan for size in range(DEPTH + 1) for plan in product((0, 1), repeat=size)]
        flaws = [(wrong, stuck), (False, False)]
        self._texts = [text_of(plan, wrong=w, stuck=s) + b"%" for w, s in flaws for plan in plans]

    def start(self) -> TableState:
        return TableState()

    def feed(self, state: TableState, data: bytes, *, pin: bool) -> Any:
        state.read += bytes(data)
        return self._logits(state)

    def step(self, states: Any, data: bytes) -> Any:
        return np.stack([self.feed(state, bytes([byte]), pin=False) for state, byte in zip(states, data, strict=True)])

    def _logits(self, state: TableState) -> Any:
        text = state.read.removeprefix(self._prompt)
        logits = np.zeros(256, np.float32)
        known = [each for each in self._texts if each.startswith(text) and len(each) > len(text)]
        logits[known[0][len(text)] if known else 0x2E] = 12.0
        return logits


def predicted(*, wrong: bool = False, stuck: bool = False) -> PredictedMachine:
    return PredictedMachine(Local(TableEngine(wrong=wrong, stuck=stuck), name="table", guard=True), machine())


class TableRuns:
    """True runs of the robot, by the texts alone."""

    def __init__(self) -> None:
        self.executions = 0
        self._prompt = PredictionRequest(program=machine().program).prompt

    def after(self, plan: tuple[int, ...]) -> list[MachineStop]:
        self.executions += 1
        texts = [text_of(plan[:size]) for size in range(len(plan) + 1)]
        return [MachineStop(text, names_after(text, self._prompt), ASKS) for text in texts]
