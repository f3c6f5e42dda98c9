"""Programs with their traces as Meta's own tracer spells them, and with what is asked for them in each way."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from worldline.codec.cwm.text import token
from worldline.core.program import Program
from worldline.evaluation.suites import load
from worldline.predict.prediction import PredictionRequest
from worldline.predict.servers.fewshot import FewShot, FewShotChat
from worldline.predict.servers.meta import program_text
from worldline.predict.servers.prompt_styles import Sampling
from worldline.predict.servers.tokens import Stage, stage

_SHARED = Path(__file__).parents[4] / "shared" / "data" / "HumanEval.jsonl.gz"
HUMANEVAL = Path(os.environ.get("WORLDLINE_HUMANEVAL", _SHARED))
TRACER = Path(__file__).with_name("tracer.py")
WHOLE = os.environ.get("WORLDLINE_CONFORMANCE") == "whole"  # all of HumanEval's calls, and more generated programs


def python311() -> str | None:
    """A CPython 3.11, whose sys.settrace Meta's format is of."""
    return sys.executable if sys.version_info[:2] == (3, 11) else shutil.which("python3.11")


def traced(programs: Sequence[Program]) -> list[str | None]:
    """The frames of each program, by the tracer, in a process of its own."""
    python = python311()
    assert python is not None
    given = json.dumps([[program.source, program.call] for program in programs])
    env = {"PYTHONHASHSEED": "0"}  # the recorder's: sets of strings are walked in one order
    done = subprocess.run([python, str(TRACER)], input=given, capture_output=True, text=True, check=True, env=env)
    return list(json.loads(done.stdout))


@dataclass(frozen=True)
class Traced:
    """A program, its frames in Meta's spelling, and those behind the frames that a staged prompt gives."""

    name: str
    program: Program
    frames: str
    staged: str

    @property
    def answers(self) -> dict[str, str]:
        """What is asked in each way, and the answer to it."""
        ask, opening = PredictionRequest(program=self.program), stage(self.program).opening
        answered = self.staged.removesuffix(token("end_of_text")) + self.own_answer
        return {
            stage(self.program).prompt: self.staged, program_text(self.program): self.frames,
            FewShot().question(ask, Sampling())["prompt"]: answered,
            FewShotChat().question(ask, Sampling())["messages"][0]["content"]: opening + answered,
        }  # fmt: skip

    @property
    def own_answer(self) -> str:
        """The assertion that a few-shot prompt asks for, with the value that the frames end with."""
        value = json.loads(self.frames.rpartition(token("arg_sep"))[2].partition(token("frame_sep"))[0])
        return f"\n\nSo:\n\n[ANSWER]\nassert {self.program.call} == {value}\n[/ANSWER]"


def all_traced(programs: dict[str, Program]) -> list[Traced]:
    """Every program that ends within the tracer's limit, with its texts."""
    stages = {name: stage(program) for name, program in programs.items()}
    own = traced(list(programs.values()))
    theirs = traced([_staged(programs[name], each) for name, each in stages.items()])
    rows = zip(programs.items(), stages.values(), own, theirs, strict=True)
    return [
        Traced(name, program, mine, yours.removeprefix(each.opening))
        for (name, program), each, mine, yours in rows
        if mine is not None and yours is not None
    ]


def _staged(program: Program, staged: Stage) -> Program:
    """The program whose run a staged prompt asks for."""
    if staged.closing is None:
        return program
    head = staged.source.split("\n")[staged.entry - 1]
    return Program(source=staged.source, call=head.removeprefix("def ").removesuffix(":"))


def humaneval(calls: int, problems: int | None = None) -> dict[str, Program]:
    """HumanEval's solutions on so many calls of their tests each."""
    found = load("humaneval", data=HUMANEVAL, calls=calls).tasks
    return {task.name: task.program for task in islice(found, problems)}


def generated(count: int) -> dict[str, Program]:
    """Generated programs that are called."""
    return dict(islice(_called(), count))


def _called() -> Iterator[tuple[str, Program]]:
    for task in load("generated").tasks:
        if task.program.call:
            yield f"generated {task.name}", task.program
