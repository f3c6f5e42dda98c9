"""The conversation for a general chat model: the compact format explained, one worked example, the program.

The example is written in the requested mode. The words are the same for all models, and a run stores them.
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


def messages(request: PredictionRequest) -> list[dict[str, str]]:
    """Write the conversation for one request."""
    wanted = language_note(request.program) + _fenced(request.prompt)
    if request.given:
        wanted += f"\n\nThe trace begins so; go on from there:\n\n{_fenced(request.given)}"
    return _conversation(request.options, wanted)


def language_note(program: Program) -> str:
    """Return what a model must know about a program in another language; empty for Python."""
    if program.lang.is_default:
        return ""
    return LANGUAGE_NOTE.replace("{LANGUAGE}", program.lang.title) + "\n"


def template() -> str:
    """Return the conversation in the default mode, with a placeholder for the program."""
    conversation = _conversation(Compact(), PROGRAM)
    return "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in conversation)


def _conversation(options: Compact, wanted: str) -> list[dict[str, str]]:
    prompt_text, steps = example(options)
    return [
        {"role": "system", "content": INSTRUCTION},
        {"role": "user", "content": _fenced(prompt_text)},
        {"role": "assistant", "content": _fenced(steps)},
        {"role": "user", "content": wanted},
    ]


def example(options: Compact) -> tuple[bytes, bytes]:
    """Return the prompt and steps of the worked example in one mode."""
    parsed = parse(EXAMPLE)
    assert parsed.program is not None
    run = RecordedSteps(parsed.program, parsed.steps, parsed.frames, parsed.hidden, parsed.ended, parsed.decisions)
    return prompt(parsed.program, options, parsed.hidden), write(run, options, [])


def _fenced(data: bytes) -> str:
    return f"```\n{data.decode('utf-8', 'surrogatepass')}```"
