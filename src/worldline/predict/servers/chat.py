"""What a general chat model is told: the compact format in words, one worked example, the program.

The example is written in the mode that is asked for, so that the model sees what it is to write. Which words help a
given model most is not explored here; they are the same for all, and a run keeps them.
"""

from __future__ import annotations

from importlib.resources import files

from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import Compact, prompt
from worldline.codec.compact.writer import RecordedSteps, write
from worldline.core.program import Program
from worldline.predict.prediction import PredictionRequest

PROGRAM = "{PROGRAM}"

_TEXTS = files(__package__)
INSTRUCTION = _TEXTS.joinpath("chat_instruction.txt").read_text("utf-8").removesuffix("\n")
EXAMPLE = _TEXTS.joinpath("chat_example.txt").read_bytes()
LANGUAGE_NOTE = _TEXTS.joinpath("language_note.txt").read_text("utf-8")


def messages(ask: PredictionRequest) -> list[dict[str, str]]:
    """The conversation for one ask."""
    wanted = language_note(ask.program) + _fenced(ask.prompt)
    if ask.given:
        wanted += f"\n\nThe trace begins so; go on from there:\n\n{_fenced(ask.given)}"
    return _conversation(ask.options, wanted)


def language_note(program: Program) -> str:
    """What a model has to know of a program that is not Python, before it is shown; nothing for Python."""
    if program.lang.is_default:
        return ""
    return LANGUAGE_NOTE.replace("{LANGUAGE}", program.lang.title) + "\n"


def template() -> str:
    """The conversation in the default mode, with a place for the program."""
    said = _conversation(Compact(), PROGRAM)
    return "\n\n".join(f"[{each['role']}]\n{each['content']}" for each in said)


def _conversation(options: Compact, wanted: str) -> list[dict[str, str]]:
    given, steps = example(options)
    return [
        {"role": "system", "content": INSTRUCTION},
        {"role": "user", "content": _fenced(given)},
        {"role": "assistant", "content": _fenced(steps)},
        {"role": "user", "content": wanted},
    ]


def example(options: Compact) -> tuple[bytes, bytes]:
    """The worked example in one mode: its prompt and its steps."""
    found = parse(EXAMPLE)
    assert found.program is not None
    run = RecordedSteps(found.program, found.steps, found.frames, found.hidden, found.ended, found.decisions)
    return prompt(found.program, options, found.hidden), write(run, options, [])


def _fenced(data: bytes) -> str:
    return f"```\n{data.decode('utf-8', 'surrogatepass')}```"
