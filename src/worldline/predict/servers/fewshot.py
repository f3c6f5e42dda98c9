"""A few-shot prompt for Meta's format: the format explained, worked examples, the program and an open assertion.

As in the published study, the model writes the trace and then completes the assertion in `[ANSWER]` brackets. That
answer is kept beside the trace. A test records the examples again. The prompt is the same for all models, and a run
stores it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from worldline.codec.cwm.external.reading import CLOSE, OPEN, ExternalText, asserted, read, tail_of
from worldline.codec.cwm.stage import Stage
from worldline.codec.cwm.text import SPECIAL, token, unspaced
from worldline.core.program import Program
from worldline.predict.prediction import PredictionRequest
from worldline.predict.servers.chat import PROGRAM, language_note
from worldline.predict.servers.prompt_styles import (
    CHAT,
    COMPLETIONS,
    SPECIAL_TOKENS,
    Reply,
    Sampling,
    closed,
    stop_texts,
    without_reasoning,
)
from worldline.predict.servers.tokens import stage
from worldline.predict.table import table_of

_TEXTS = files(__package__)
INSTRUCTION = _TEXTS.joinpath("fewshot_instruction.txt").read_text("utf-8")
EXAMPLES = _TEXTS.joinpath("fewshot_examples.txt").read_text("utf-8")
QUESTION = _TEXTS.joinpath("fewshot_question.txt").read_text("utf-8")
BEFORE_EXAMPLES, BEFORE_QUESTION = "Worked examples:\n", "Now the program that is asked for.\n"
_FRAME_END = re.escape(token("frame_sep"))
_SPECIALS = rf"(?:{SPECIAL.pattern})*"


@dataclass(frozen=True)
class FewShot:
    """The prompt as plain text, up to the first frames that are certain. The model continues it."""

    codec: str = "cwm"
    path: str = COMPLETIONS

    @property
    def template(self) -> str:
        """The prompt, with a placeholder for the program."""
        return prompt_around(PROGRAM)

    def question(self, request: PredictionRequest, sampling: Sampling) -> dict[str, Any]:
        """Return the prompt with the given frames; the model stops after the answer."""
        prefix = stage(request.program).opening + request.given.decode("utf-8", "replace")
        return {
            "prompt": prompt_around(question(request.program)) + prefix,
            "stop": [CLOSE, *stop_texts(request, self.codec)],
            "include_stop_str_in_output": True,
            **SPECIAL_TOKENS,
            **sampling.completion_options,
        }

    def text(self, request: PredictionRequest, reply: Reply) -> bytes:
        """Return the frames of the call only, after the given ones."""
        return trace_text(request, reply)

    def answer(self, request: PredictionRequest, reply: Reply) -> str | None:
        """Return the model's answer after its trace."""
        return own_answer(request, reply)


@dataclass(frozen=True)
class FewShotChat:
    """The same prompt as the only message of a conversation."""

    codec: str = "cwm"
    path: str = CHAT

    @property
    def template(self) -> str:
        """The message, with a placeholder for the program."""
        return f"[user]\n{prompt_around(PROGRAM)}"

    def question(self, request: PredictionRequest, sampling: Sampling) -> dict[str, Any]:
        """Return the message, with the given frames at its end."""
        message = prompt_around(question(request.program))
        if request.given:
            message += stage(request.program).opening + request.given.decode("utf-8", "replace")
            message += "\n\nThe trace begins as it stands here; go on from there."
        return {"messages": [{"role": "user", "content": message}], **sampling.chat_options}

    def text(self, request: PredictionRequest, reply: Reply) -> bytes:
        """Return the frames of the call only, after the given ones."""
        return trace_text(request, reply)

    def answer(self, request: PredictionRequest, reply: Reply) -> str | None:
        """Return the model's answer after its trace."""
        return own_answer(request, reply)


def prompt_around(wanted: str) -> str:
    """Return the whole prompt: instruction, examples and question."""
    return "\n".join((INSTRUCTION, BEFORE_EXAMPLES, EXAMPLES, BEFORE_QUESTION, wanted))


def question(program: Program) -> str:
    """Return a program with its open assertion, up to the first frame of its trace. Examples start the same way."""
    open_ = f"assert {program.call} == ??" if program.call else "(a script: it is run from its first line)"
    shown = QUESTION.format(SOURCE=program.source, ASSERTION=open_)
    if not program.lang.is_default:
        shown = language_note(program) + shown.replace("Python", program.lang.title, 1)
    return shown + stage(program).prompt.removeprefix(token("begin_of_text"))


def trace_text(request: PredictionRequest, reply: Reply) -> bytes:
    """Return the trace in a reply, with its special tokens restored. Part of a frame is returned as it is."""
    staged, prefix = stage(request.program), request.given.decode("utf-8", "replace")
    if request.stop:
        text = prefix + closed(unspaced(reply.text), request, reply)
    elif prefix:
        text = _continued(request, prefix, reply)
    else:
        text = _read(request, reply).text
    return staged.without_closing(text).encode("utf-8", "surrogatepass")


def own_answer(request: PredictionRequest, reply: Reply) -> str | None:
    """Return the right side of the assertion in `[ANSWER]` brackets; None for a script."""
    if request.program.call is None or request.stop:
        return None
    if request.given:
        return asserted(tail_of(_bracketed(reply), 0).answer)
    return asserted(_read(request, reply).answer)


def _read(request: PredictionRequest, reply: Reply) -> ExternalText:
    """Read a reply from the first frame of the call."""
    text = _bracketed(reply)
    head = _opening(stage(request.program), text)
    return read(text[head:], request.program, table_of(request.program))


def _continued(request: PredictionRequest, prefix: str, reply: Reply) -> str:
    """Return the given frames, unchanged, and their continuation up to its end."""
    text = prefix + _bracketed(reply)
    trace = read(text, request.program, table_of(request.program)).text
    return trace if trace.startswith(prefix) else text


def _bracketed(reply: Reply) -> str:
    """Return a reply without reasoning, with the bracket that stopped it, which some servers leave out."""
    text = unspaced(without_reasoning(reply.text))
    is_open = text.rfind(OPEN) > text.rfind(CLOSE)
    return text + CLOSE if is_open and not reply.cut else text


def _opening(staged: Stage, text: str) -> int:
    """Return the end of the first frames of `main`, if the model repeats them; 0 if it does not."""
    if staged.closing is None:
        return 0
    head = rf"{_SPECIALS}\{{\}}{_SPECIALS}def {re.escape(staged.called)}:[^\n]*\n"
    line = rf"{_SPECIALS}\{{\}}{_SPECIALS} *{re.escape(staged.closing.strip())} *\n(?:{_FRAME_END})?"
    match = re.search(head + line, text)
    return match.end() if match else 0
