"""Meta's format asked for as plain text, or from a chat model: for servers that take no token ids.

The prompt is that of `tokens`, its special tokens spelled out, or the format in words with one worked example. A reply
may be decoded in any way: with special tokens, with spaces between them, or without any.
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
from worldline.predict.servers.tokens import stage
from worldline.predict.servers.ways import (
    CHAT,
    Reply,
    Sampling,
    closed,
    decoded_frames,
    fenced_block,
    stop_texts,
)
from worldline.predict.table import table_of

_TEXTS = files(__package__)
INSTRUCTION = _TEXTS.joinpath("meta_instruction.txt").read_text("utf-8").removesuffix("\n")
FRAMES = _TEXTS.joinpath("meta_example.txt").read_text("utf-8")


@dataclass(frozen=True)
class MetaText:
    """Meta's prompt as plain text; its frames as the continuation."""

    codec: str = "cwm"
    path: str = "/completions"
    template: str = "Meta's prompt as text: a call is made by a `main`, whose frames are not scored"

    def question(self, ask: PredictionRequest, sampling: Sampling) -> dict[str, Any]:
        """The prompt, what is given, and where to stop."""
        prompt = stage(ask.program).prompt + ask.given.decode("utf-8", "replace")
        return {
            "prompt": prompt, "stop": stop_texts(ask, self.codec), "include_stop_str_in_output": True,
            "skip_special_tokens": False,
            "spaces_between_special_tokens": False, "add_special_tokens": False,
            **({"logprobs": 1} if sampling.logprobs else {}),
        }  # fmt: skip

    def text(self, ask: PredictionRequest, reply: Reply) -> bytes:
        """The frames of the call alone."""
        text = closed(decoded_frames(reply.text, ask), ask, reply)
        given = ask.given.decode("utf-8", "replace")
        return stage(ask.program).without_closing(given + text).encode("utf-8", "surrogatepass")


@dataclass(frozen=True)
class MetaChat:
    """A conversation with one worked example in Meta's format."""

    codec: str = "cwm"
    path: str = CHAT

    @property
    def template(self) -> str:
        """The messages, with a place for the program."""
        said = _conversation(PROGRAM)
        return "\n\n".join(f"[{each['role']}]\n{each['content']}" for each in said)

    def question(self, ask: PredictionRequest, sampling: Sampling) -> dict[str, Any]:
        """The messages."""
        wanted = {"logprobs": True, "top_logprobs": 1} if sampling.logprobs else {}
        said = program_text(ask.program)
        if ask.given:
            given = ask.given.decode("utf-8", "replace")
            said += f"\n\nThe trace begins so; go on from there:\n\n```\n{given}\n```"
        return {"messages": _conversation(said), **wanted}

    def text(self, ask: PredictionRequest, reply: Reply) -> bytes:
        """The frames of the last fenced block, or of all, without what is only said around them."""
        said = stage(ask.program).without_opening(unspaced(fenced_block(reply.text)))
        found = read(said, ask.program, table_of(ask.program)).text
        return ask.given + found.encode("utf-8", "surrogatepass")


def program_text(program: Program) -> str:
    """A program and its call, as a chat model is shown them."""
    source = marked(program.source, entry_of(program) or 0, program.language).removesuffix("\n")
    return f"{language_note(program)}```{program.language}\n{source}\n```\n\n" + (
        f"Call: `{program.call}`" if program.call else "Run the script."
    )


def example() -> tuple[str, str]:
    """The worked example: its program, and its frames."""
    found = parse(EXAMPLE)
    assert found.program is not None
    return program_text(found.program), FRAMES


def _conversation(wanted: str) -> list[dict[str, str]]:
    program, frames = example()
    return [
        {"role": "system", "content": INSTRUCTION},
        {"role": "user", "content": program},
        {"role": "assistant", "content": f"```\n{frames}\n```"},
        {"role": "user", "content": wanted},
    ]
