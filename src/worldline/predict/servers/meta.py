"""Prompt styles for Meta's format without token ids: as plain text, or by chat with one worked example.

A reply may be decoded with special tokens, with spaces between them, or without them.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from worldline.codec.compact.parse import parse
from worldline.codec.cwm.external.reading import entry_of, read
from worldline.codec.cwm.text import marked, unspaced
from worldline.core.program import Program
from worldline.predict.prediction import PredictionRequest
from worldline.predict.servers.chat import EXAMPLE, PROGRAM, language_note
from worldline.predict.servers.prompt_styles import (
    CHAT,
    COMPLETIONS,
    SPECIAL_TOKENS,
    Reply,
    Sampling,
    closed,
    decoded_frames,
    fenced_block,
    stop_texts,
)
from worldline.predict.servers.tokens import stage
from worldline.predict.table import table_of

_TEXTS = files(__package__)
INSTRUCTION = _TEXTS.joinpath("meta_instruction.txt").read_text("utf-8").removesuffix("\n")
FRAMES = _TEXTS.joinpath("meta_example.txt").read_text("utf-8")


@dataclass(frozen=True)
class MetaText:
    """Meta's prompt as plain text, with special tokens spelled out. The model continues it."""

    codec: str = "cwm"
    path: str = COMPLETIONS
    template: str = "Meta's prompt as text: a call is made by a `main`, whose frames are not scored"

    def question(self, request: PredictionRequest, sampling: Sampling) -> dict[str, Any]:
        """Return the prompt with the given frames, and where to stop."""
        return {
            "prompt": stage(request.program).prompt + request.given.decode("utf-8", "replace"),
            "stop": stop_texts(request, self.codec),
            "include_stop_str_in_output": True,
            "add_special_tokens": False,
            **SPECIAL_TOKENS,
            **sampling.completion_options,
        }

    def text(self, request: PredictionRequest, reply: Reply) -> bytes:
        """Return the frames of the call only."""
        text = closed(decoded_frames(reply.text, request), request, reply)
        prefix = request.given.decode("utf-8", "replace")
        return stage(request.program).without_closing(prefix + text).encode("utf-8", "surrogatepass")


@dataclass(frozen=True)
class MetaChat:
    """A conversation with one worked example in Meta's format."""

    codec: str = "cwm"
    path: str = CHAT

    @property
    def template(self) -> str:
        """The messages, with a placeholder for the program."""
        conversation = _conversation(PROGRAM)
        return "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in conversation)

    def question(self, request: PredictionRequest, sampling: Sampling) -> dict[str, Any]:
        """Return the messages."""
        message = program_text(request.program)
        if request.given:
            prefix = request.given.decode("utf-8", "replace")
            message += f"\n\nThe trace begins so; go on from there:\n\n```\n{prefix}\n```"
        return {"messages": _conversation(message), **sampling.chat_options}

    def text(self, request: PredictionRequest, reply: Reply) -> bytes:
        """Return the frames of the last fenced block or of the whole reply, without other text."""
        text = stage(request.program).without_opening(unspaced(fenced_block(reply.text)))
        trace = read(text, request.program, table_of(request.program)).text
        return request.given + trace.encode("utf-8", "surrogatepass")


def program_text(program: Program) -> str:
    """Return a program and its call as a chat model sees them."""
    source = marked(program.source, entry_of(program) or 0, program.language).removesuffix("\n")
    return f"{language_note(program)}```{program.language}\n{source}\n```\n\n" + (
        f"Call: `{program.call}`" if program.call else "Run the script."
    )


def example() -> tuple[str, str]:
    """Return the program and frames of the worked example."""
    parsed = parse(EXAMPLE)
    assert parsed.program is not None
    return program_text(parsed.program), FRAMES


def _conversation(wanted: str) -> list[dict[str, str]]:
    program, frames = example()
    return [
        {"role": "system", "content": INSTRUCTION},
        {"role": "user", "content": program},
        {"role": "assistant", "content": f"```\n{frames}\n```"},
        {"role": "user", "content": wanted},
    ]
