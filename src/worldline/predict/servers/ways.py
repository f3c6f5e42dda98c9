"""Three ways to ask a server for a trace: Meta's format by token ids, ours as plain text, ours from a chat model.

Each makes the question that goes out and reads the text out of the reply. What every OpenAI-compatible server sends
back is read here too: with the log-probabilities and token ids of those that give them. Nothing here sends anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Protocol

from worldline.codec.cwm.external.reading import continuation
from worldline.codec.cwm.reader import NAMES
from worldline.codec.cwm.text import SPECIAL, token, unspaced
from worldline.codec.notation import notation
from worldline.predict.confidence import by_frame
from worldline.predict.prediction import Prediction, PredictionRequest, summed_logprob
from worldline.predict.servers.chat import messages, template
from worldline.predict.servers.client import LATE, Unanswered, one_line
from worldline.predict.servers.tokens import Vocabulary, spelled, stage, stops
from worldline.predict.table import table_of

CHAT = "/chat/completions"
END_MARK = "\n.\n"
DONE, CUT = ("stop", "eos", "end_turn"), ("length", "max_tokens")
NAMED = 100  # characters of a name that a server gives
_ADDED = re.compile(r"-[0-9][0-9-]*|\.gguf")
_THOUGHT = re.compile(r"\A\s*<think>.*?(?:</think>|\Z)", re.DOTALL)
_FENCED = re.compile(r"^```[^\n]*\n(.*?)(?:^```|\Z)", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How a model is to write."""

    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 8192
    logprobs: bool = True
    stream: bool = False

    def question(self, model: str, most: int) -> dict[str, Any]:
        """What every question holds; `most` bounds the tokens of this one."""
        most = min(self.max_tokens, most)
        return {
            "model": model, "temperature": self.temperature, "seed": self.seed, "max_tokens": most,
            "stream": self.stream, "n": 1,
        }  # fmt: skip


@dataclass(frozen=True)
class Reply:
    """What a server sent: the text, why it ended, and as far as they were given its ids and log-probability.

    `mark` is the stop text that ended it: None where something else did, and empty where the server does not say.
    `tokens` are its tokens, special ones by name and others by nothing, each with its log-probability.
    `late` is the deadline that cut it, if one did.
    """

    text: str
    cut: bool
    mark: str | None = ""
    ids: tuple[int, ...] = ()
    logprob: float | None = None
    number: str = ""
    tokens: tuple[tuple[str, float], ...] = ()
    late: str = ""


class Way(Protocol):
    """One way to ask."""

    @property
    def codec(self) -> str:
        """The notation of what comes back."""
        ...

    @property
    def path(self) -> str:
        """Where the question goes, behind the server's address."""
        ...

    @property
    def template(self) -> str:
        """How prompts are made, for the record."""
        ...

    def question(self, ask: PredictionRequest, sampling: Sampling) -> dict[str, Any]:
        """What is asked, beyond what every question holds."""
        ...

    def text(self, ask: PredictionRequest, reply: Reply) -> bytes:
        """The steps, those given first."""
        ...


@dataclass(frozen=True)
class Text:
    """The compact prompt as plain text; its steps as the continuation."""

    codec: str = "compact"
    path: str = "/completions"
    template: str = "the compact prompt, and nothing else"

    def question(self, ask: PredictionRequest, sampling: Sampling) -> dict[str, Any]:
        """The prompt, what is given, and where to stop."""
        prompt = (ask.prompt + ask.given).decode("utf-8", "surrogatepass")
        return {
            "prompt": prompt, "stop": [END_MARK], "include_stop_str_in_output": True,
            **({"logprobs": 1} if sampling.logprobs else {}),
        }  # fmt: skip

    def text(self, ask: PredictionRequest, reply: Reply) -> bytes:
        """The continuation, with the end mark that stopped it."""
        text = reply.text
        if not reply.cut and reply.mark is not None and text and not text.endswith(END_MARK):
            text += END_MARK
        return _until_end(ask.given + _bytes(text))


@dataclass(frozen=True)
class Chat:
    """A conversation with one worked example, for models that were never trained on the format."""

    codec: str = "compact"
    path: str = CHAT

    @property
    def template(self) -> str:
        """The messages, with a place for the program."""
        return template()

    def question(self, ask: PredictionRequest, sampling: Sampling) -> dict[str, Any]:
        """The messages."""
        wanted = {"logprobs": True, "top_logprobs": 1} if sampling.logprobs else {}
        return {"messages": messages(ask), **wanted}

    def text(self, ask: PredictionRequest, reply: Reply) -> bytes:
        """The last fenced block, or all, without thoughts and what is only said around it."""
        text = fenced_block(reply.text)
        if text and not reply.cut and not text.endswith("\n"):
            text += "\n"
        return _until_end(ask.given + _bytes(text))


@dataclass(frozen=True)
class Tokens:
    """Meta's format, by token ids both ways where the server gives them back."""

    vocabulary: Vocabulary
    codec: str = "cwm"
    path: str = "/completions"
    template: str = (
        "Meta's prompt as token ids: a call is made by a `main`, whose frames are given and not scored"
    )

    def question(self, ask: PredictionRequest, sampling: Sampling) -> dict[str, Any]:
        """The ids, and the ids to stop at."""
        return {
            "prompt": stage(ask.program).ids(self.vocabulary, ask.given), "stop_token_ids": stops(ask),
            "skip_special_tokens": False, "spaces_between_special_tokens": False, "add_special_tokens": False,
            "return_token_ids": True, **({"logprobs": 1} if sampling.logprobs else {}),
        }  # fmt: skip

    def text(self, ask: PredictionRequest, reply: Reply) -> bytes:
        """The frames of the call alone."""
        staged = stage(ask.program)
        text = spelled(reply.ids, self.vocabulary) if reply.ids else decoded_frames(reply.text, ask)
        text = ask.given.decode("utf-8", "replace") + closed(text, ask, reply)
        return staged.without_closing(staged.without_opening(text)).encode("utf-8", "replace")


def stop_texts(ask: PredictionRequest, codec: str) -> list[str]:
    """Where a text of a notation ends: at its end, and at the special token that the ask is for."""
    return [notation(codec).end_mark.decode(), *([token(ask.stop)] if ask.stop else [])]


def fenced_block(text: str) -> str:
    """The last fenced block of what a chat model said, or all, without its thoughts."""
    text = without_thoughts(text)
    blocks = _FENCED.findall(text)
    return blocks[-1] if blocks else text.lstrip("\n")


def without_thoughts(text: str) -> str:
    """What a model said, without what it thought before."""
    return _THOUGHT.sub("", text)


def decoded_frames(text: str, ask: PredictionRequest) -> str:
    """A reply in Meta's format with its special tokens; a piece of a frame, which was asked for alone, as it is."""
    return unspaced(text) if ask.given or ask.stop else continuation(text, ask.program, table_of(ask.program))


def closed(text: str, ask: PredictionRequest, reply: Reply) -> str:
    """A text up to its end, with the token that stopped it, which not every server gives back."""
    end, stop = token("end_of_text"), token(ask.stop) if ask.stop else ""
    if end in text:
        return text.partition(end)[0] + end
    if reply.cut or not text:
        return text
    is_stopped = stop and stop not in text.removesuffix(stop)
    return text.removesuffix(stop) + stop if is_stopped else text + end


def prediction(way: Way, ask: PredictionRequest, reply: Reply) -> Prediction:
    """What a reply is to an ask."""
    text = way.text(ask, reply)
    status = "ended"
    if len(text) > ask.limit or ((reply.cut or ask.stop) and not text.endswith(notation(way.codec).end_mark)):
        status = "budget"
    elif len(text) <= len(ask.given):
        status = "empty"
    return Prediction(
        text=text[: ask.limit], status=status, logprob=reply.logprob, codec=way.codec,
        sure=by_frame(reply.tokens), said=_said(way, ask, reply),
        note=", ".join(part for part in (
            f"answer {reply.number}" if reply.number else "",
            f"cut by the deadline of {reply.late}" if reply.late else "",
        ) if part),
    )  # fmt: skip


def _said(way: Way, ask: PredictionRequest, reply: Reply) -> str | None:
    """The model's own answer, of a way that asks for one."""
    found = getattr(way, "said", None)
    return None if found is None else found(ask, reply)


def read_reply(answer: dict[str, Any], model: str) -> Reply:
    """The reply in a server's answer; Unanswered where a part that must be there is not."""
    named = answer.get("model")
    if isinstance(named, str) and not _same_model(named, model):
        raise Unanswered(f"an answer of the model {_named(named)!r}, not {model!r}", again=False)
    choices = answer.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        raise Unanswered("an answer without `choices`")
    finish = choice.get("finish_reason")
    if finish not in (*DONE, *CUT):
        raise Unanswered(f"an answer with the finish_reason {_named(finish)!r}", again=finish is None)
    reason = choice.get("stop_reason", choice.get("matched_stop", ""))
    pieces = _pieces(choice.get("logprobs"))
    ids = _ids(choice.get("token_ids")) or _ids([piece.get("id") for piece in pieces])
    logprob = summed_logprob([piece.get("logprob") for piece in pieces])
    return Reply(
        text=_text(choice), cut=finish in CUT, mark=reason if isinstance(reason, str) else None, ids=ids,
        logprob=logprob, number=_named(answer.get("id") or ""),
        tokens=() if logprob is None else _tokens(pieces, ids), late=str(answer.get(LATE, "")),
    )  # fmt: skip


def _tokens(pieces: list[dict[str, Any]], ids: tuple[int, ...]) -> tuple[tuple[str, float], ...]:
    """The tokens of an answer by name; the last one, where a server leaves out how likely its stop was, is certain."""
    names = [NAMES.get(number, "") for number in ids]
    if not ids and all(isinstance(piece.get("token"), str) for piece in pieces):
        names = [_special(piece["token"]) for piece in pieces]
    told = [float(piece["logprob"]) for piece in pieces]
    return tuple(zip(names, [*told, *[0.0] * (len(names) - len(told))], strict=False))


def _special(spelling: str) -> str:
    match = SPECIAL.fullmatch(spelling)
    return match[1] if match else ""


def _text(choice: dict[str, Any]) -> str:
    message = choice.get("message")
    found = message.get("content") if isinstance(message, dict) else choice.get("text")
    if found is None and isinstance(message, dict):
        return ""  # a model that only thought
    if isinstance(found, list):
        parts = [part.get("text") for part in found if isinstance(part, dict)]
        found = "".join(part for part in parts if isinstance(part, str))
    if not isinstance(found, str):
        raise Unanswered("an answer without a text")
    return found


def _pieces(found: Any) -> list[dict[str, Any]]:
    """The tokens of an answer, in the newer shape or the older."""
    if not isinstance(found, dict):
        return []
    content = found.get("content")
    if isinstance(content, list):
        return [piece for piece in content if isinstance(piece, dict)]
    older, spelt = found.get("token_logprobs"), found.get("tokens")
    if not isinstance(older, list):
        return []
    spelt = spelt if isinstance(spelt, list) and len(spelt) == len(older) else [None] * len(older)
    return [{"logprob": each, "token": text} for each, text in zip(older, spelt, strict=True)]


def _ids(found: Any) -> tuple[int, ...]:
    if not isinstance(found, list) or not all(type(each) is int and 0 <= each < 1 << 32 for each in found):
        return ()
    return tuple(found)


def _named(value: Any) -> str:
    """A name that a server gives, on one line; of what is none, its type."""
    if isinstance(value, str | int | float | None):
        return one_line(str(value), NAMED)
    return type(value).__name__


def _same_model(named: str, asked: str) -> bool:
    """Whether a name in an answer can be the model asked for: servers add folders, dates and a file's ending."""
    named, asked = named.rpartition("/")[2], asked.rpartition("/")[2]
    return named == asked or (named.startswith(asked) and _ADDED.fullmatch(named, len(asked)) is not None)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _until_end(data: bytes) -> bytes:
    """The text up to its end mark: a server that knows no stop texts goes on behind it."""
    if data.startswith(b".\n"):
        return b".\n"
    at = data.find(END_MARK.encode())
    return data if at < 0 else data[: at + len(END_MARK)]
