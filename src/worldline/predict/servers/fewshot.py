"""A few-shot prompt for Meta's format: the format in words, worked examples, the program and an open assertion.

The published study asked so: the trace is written first and the assertion completed behind it, in `[ANSWER]` brackets.
The model's own answer is kept beside its trace. The examples are true: a test records them again. Their number and
words are the same for all models, and a run keeps them.
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
from worldline.predict.servers.tokens import stage
from worldline.predict.servers.ways import CHAT, Reply, Sampling, closed, stop_texts, without_thoughts
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
    """The prompt as plain text, with the frames that are sure to come first; the model goes on."""

    codec: str = "cwm"
    path: str = "/completions"

    @property
    def template(self) -> str:
        """The prompt, with a place for the program."""
        return prompt_around(PROGRAM)

    def question(self, ask: PredictionRequest, sampling: Sampling) -> dict[str, Any]:
        """The prompt, what is given, and where to stop: behind the answer."""
        given = stage(ask.program).opening + ask.given.decode("utf-8", "replace")
        return {
            "prompt": prompt_around(question(ask.program)) + given, "stop": [CLOSE, *stop_texts(ask, self.codec)],
            "include_stop_str_in_output": True, "skip_special_tokens": False,
            "spaces_between_special_tokens": False, **({"logprobs": 1} if sampling.logprobs else {}),
        }  # fmt: skip

    def text(self, ask: PredictionRequest, reply: Reply) -> bytes:
        """The frames of the call alone, those given first."""
        return trace_text(ask, reply)

    def said(self, ask: PredictionRequest, reply: Reply) -> str | None:
        """The answer that the model gives behind its trace."""
        return own_answer(ask, reply)


@dataclass(frozen=True)
class FewShotChat:
    """The same prompt as the one message of a conversation."""

    codec: str = "cwm"
    path: str = CHAT

    @property
    def template(self) -> str:
        """The message, with a place for the program."""
        return f"[user]\n{prompt_around(PROGRAM)}"

    def question(self, ask: PredictionRequest, sampling: Sampling) -> dict[str, Any]:
        """The message; what is given stands behind it."""
        wanted = {"logprobs": True, "top_logprobs": 1} if sampling.logprobs else {}
        said = prompt_around(question(ask.program))
        if ask.given:
            said += stage(ask.program).opening + ask.given.decode("utf-8", "replace")
            said += "\n\nThe trace begins as it stands here; go on from there."
        return {"messages": [{"role": "user", "content": said}], **wanted}

    def text(self, ask: PredictionRequest, reply: Reply) -> bytes:
        """The frames of the call alone, those given first."""
        return trace_text(ask, reply)

    def said(self, ask: PredictionRequest, reply: Reply) -> str | None:
        """The answer that the model gives behind its trace."""
        return own_answer(ask, reply)


def prompt_around(wanted: str) -> str:
    """The whole prompt: instruction, examples, and the question that is asked."""
    return "\n".join((INSTRUCTION, BEFORE_EXAMPLES, EXAMPLES, BEFORE_QUESTION, wanted))


def question(program: Program) -> str:
    """A program with its open assertion, and its trace as far as the first frame: also how an example begins."""
    open_ = f"assert {program.call} == ??" if program.call else "(a script: it is run from its first line)"
    shown = QUESTION.format(SOURCE=program.source, ASSERTION=open_)
    if not program.lang.is_default:
        shown = language_note(program) + shown.replace("Python", program.lang.title, 1)
    return shown + stage(program).prompt.removeprefix(token("begin_of_text"))


def trace_text(ask: PredictionRequest, reply: Reply) -> bytes:
    """The trace in a reply, with every special token; a piece of a frame, which was asked for alone, as it is."""
    staged, given = stage(ask.program), ask.given.decode("utf-8", "replace")
    if ask.stop:
        text = given + closed(unspaced(reply.text), ask, reply)
    elif given:
        text = _continued(ask, given, reply)
    else:
        text = _read(ask, reply).text
    return staged.without_closing(text).encode("utf-8", "surrogatepass")


def own_answer(ask: PredictionRequest, reply: Reply) -> str | None:
    """What stands in `[ANSWER]` brackets behind a trace, an assertion's right side alone; a script has none."""
    if ask.program.call is None or ask.stop:
        return None
    if ask.given:
        return asserted(tail_of(_bracketed(reply), 0).answer)
    return asserted(_read(ask, reply).answer)


def _read(ask: PredictionRequest, reply: Reply) -> ExternalText:
    """A reply by the reader of foreign text, from the call's own frames on."""
    text = _bracketed(reply)
    head = _opening(stage(ask.program), text)
    return read(text[head:], ask.program, table_of(ask.program))


def _continued(ask: PredictionRequest, given: str, reply: Reply) -> str:
    """What goes on from given frames: up to where the reader finds their end, given as they were."""
    text = given + _bracketed(reply)
    found = read(text, ask.program, table_of(ask.program)).text
    return found if found.startswith(given) else text


def _bracketed(reply: Reply) -> str:
    """A reply without thoughts, and with the bracket that stopped it, which not every server gives back."""
    text = unspaced(without_thoughts(reply.text))
    is_open = text.rfind(OPEN) > text.rfind(CLOSE)
    return text + CLOSE if is_open and not reply.cut else text


def _opening(staged: Stage, text: str) -> int:
    """Where the frames of `main` end that come first, and that a model may write again; 0 where it did not."""
    if staged.closing is None:
        return 0
    head = rf"{_SPECIALS}\{{\}}{_SPECIALS}def {re.escape(staged.called)}:[^\n]*\n"
    line = rf"{_SPECIALS}\{{\}}{_SPECIALS} *{re.escape(staged.closing.strip())} *\n(?:{_FRAME_END})?"
    match = re.search(head + line, text)
    return match.end() if match else 0
