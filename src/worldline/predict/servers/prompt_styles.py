"""Prompt styles: how a model is asked for a trace, and how the trace is read from its reply.

The basic ones are here: the compact format as plain text or by chat, and Meta's format by token ids. `read_reply` reads
the answer of any OpenAI-compatible server, with log-probabilities and token ids if it sends them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

from worldline.codec.cwm.external.reading import continuation
from worldline.codec.cwm.reader import NAMES
from worldline.codec.cwm.text import SPECIAL, token, unspaced
from worldline.codec.notation import notation
from worldline.predict.confidence import frame_logprobs
from worldline.predict.prediction import Decoding, Prediction, PredictionRequest, summed_logprob
from worldline.predict.servers.chat import messages, template
from worldline.predict.servers.client import LATE, OTHER_MODEL, Unanswered, one_line
from worldline.predict.servers.tokens import Vocabulary, spelled, stage, stops
from worldline.predict.table import table_of

CHAT, COMPLETIONS = "/chat/completions", "/completions"
END_MARK = "\n.\n"
DONE, CUT = ("stop", "eos", "end_turn"), ("length", "max_tokens")
MAX_NAME_CHARS = 100
# In Meta's format, special tokens must survive decoding as they are.
SPECIAL_TOKENS = {"skip_special_tokens": False, "spaces_between_special_tokens": False}
_NAME_SUFFIX = re.compile(r"-[0-9][0-9-]*|\.gguf")
_REASONING = re.compile(r"\A\s*<think>.*?(?:</think>|\Z)", re.DOTALL)
_FENCED = re.compile(r"^```[^\n]*\n(.*?)(?:^```|\Z)", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How a model writes."""

    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 8192
    logprobs: bool = True
    stream: bool = False

    def decoded(self, decoding: Decoding | None) -> Sampling:
        """Return the sampling of one text: with its own temperature and seed, if it has them."""
        return self if decoding is None else replace(self, temperature=decoding.temperature, seed=decoding.seed)

    def question(self, model: str, max_tokens: int) -> dict[str, Any]:
        """Return the part that all questions share; `max_tokens` bounds this one."""
        return {
            "model": model,
            "temperature": self.temperature,
            "seed": self.seed,
            "max_tokens": min(self.max_tokens, max_tokens),
            "stream": self.stream,
            "n": 1,
        }

    @property
    def completion_options(self) -> dict[str, Any]:
        return {"logprobs": 1} if self.logprobs else {}

    @property
    def chat_options(self) -> dict[str, Any]:
        return {"logprobs": True, "top_logprobs": 1} if self.logprobs else {}


@dataclass(frozen=True)
class Reply:
    """The reply of a server: its text, whether it was cut for its length, and what else was sent.

    `mark` is the stop text that ended it: None if something else did, empty if the server does not say. `tokens` has
    the name (empty unless special) and log-probability of each token. `late` is the deadline that cut it, if one did.
    """

    text: str
    cut: bool
    mark: str | None = ""
    ids: tuple[int, ...] = ()
    logprob: float | None = None
    number: str = ""
    tokens: tuple[tuple[str, float], ...] = ()
    late: str = ""


class PromptStyle(Protocol):
    """Writes questions to a path of the server, and reads replies in a notation. Runs store the template."""

    @property
    def codec(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def template(self) -> str: ...
    def question(self, request: PredictionRequest, sampling: Sampling) -> dict[str, Any]:
        """Return the question, without the part that all questions share."""
        ...

    def text(self, request: PredictionRequest, reply: Reply) -> bytes:
        """Return the steps in a reply, after the given ones."""
        ...


@runtime_checkable
class AsksForAnswer(Protocol):
    """A prompt style that also asks for the answer, beside the trace."""

    def answer(self, request: PredictionRequest, reply: Reply) -> str | None:
        """Return the model's answer; None if there is none."""
        ...


@dataclass(frozen=True)
class Text:
    """The compact prompt as plain text. The model continues it."""

    codec: str = "compact"
    path: str = COMPLETIONS
    template: str = "the compact prompt, and nothing else"

    def question(self, request: PredictionRequest, sampling: Sampling) -> dict[str, Any]:
        """Return the prompt with the given steps, and where to stop."""
        prompt = (request.prompt + request.given).decode("utf-8", "surrogatepass")
        stop = {"stop": [END_MARK], "include_stop_str_in_output": True}
        return {"prompt": prompt, **stop, **sampling.completion_options}

    def text(self, request: PredictionRequest, reply: Reply) -> bytes:
        """Return the continuation with the end mark that stopped it."""
        text = reply.text
        if not reply.cut and reply.mark is not None and text and not text.endswith(END_MARK):
            text += END_MARK
        return _until_end(request.given + _bytes(text))


@dataclass(frozen=True)
class Chat:
    """A conversation with one worked example, for models that were not trained on the format."""

    codec: str = "compact"
    path: str = CHAT

    @property
    def template(self) -> str:
        """The messages, with a placeholder for the program."""
        return template()

    def question(self, request: PredictionRequest, sampling: Sampling) -> dict[str, Any]:
        """Return the messages."""
        return {"messages": messages(request), **sampling.chat_options}

    def text(self, request: PredictionRequest, reply: Reply) -> bytes:
        """Return the last fenced block, or everything after the model's reasoning."""
        text = fenced_block(reply.text)
        if text and not reply.cut and not text.endswith("\n"):
            text += "\n"
        return _until_end(request.given + _bytes(text))


@dataclass(frozen=True)
class Tokens:
    """Meta's format by token ids, also in the reply if the server returns them."""

    vocabulary: Vocabulary
    codec: str = "cwm"
    path: str = COMPLETIONS
    template: str = "Meta's prompt as token ids: a call is made by a `main`, whose frames are given and not scored"

    def question(self, request: PredictionRequest, sampling: Sampling) -> dict[str, Any]:
        """Return the ids of the prompt, and those at which to stop."""
        return {
            "prompt": stage(request.program).ids(self.vocabulary, request.given),
            "stop_token_ids": stops(request),
            "add_special_tokens": False,
            "return_token_ids": True,
            **SPECIAL_TOKENS,
            **sampling.completion_options,
        }

    def text(self, request: PredictionRequest, reply: Reply) -> bytes:
        """Return the frames of the call only."""
        staged = stage(request.program)
        text = spelled(reply.ids, self.vocabulary) if reply.ids else decoded_frames(reply.text, request)
        text = request.given.decode("utf-8", "replace") + closed(text, request, reply)
        return staged.without_closing(staged.without_opening(text)).encode("utf-8", "replace")


def stop_texts(request: PredictionRequest, codec: str) -> list[str]:
    """Return the texts that end a prediction: the end of the notation, and the stop token of the request."""
    return [notation(codec).end_mark.decode(), *([token(request.stop)] if request.stop else [])]


def fenced_block(text: str) -> str:
    """Return the last fenced block of a chat reply, or the whole reply, without the model's reasoning."""
    text = without_reasoning(text)
    blocks = _FENCED.findall(text)
    return blocks[-1] if blocks else text.lstrip("\n")


def without_reasoning(text: str) -> str:
    """Remove the model's reasoning from the start of its reply."""
    return _REASONING.sub("", text)


def decoded_frames(text: str, request: PredictionRequest) -> str:
    """Restore the special tokens of a reply in Meta's format. Part of a frame is returned as it is."""
    if request.given or request.stop:
        return unspaced(text)
    return continuation(text, request.program, table_of(request.program))


def closed(text: str, request: PredictionRequest, reply: Reply) -> str:
    """Cut a text at its end, and add the token that stopped it, which some servers leave out."""
    end, stop = token("end_of_text"), token(request.stop) if request.stop else ""
    if end in text:
        return text.partition(end)[0] + end
    if reply.cut or not text:
        return text
    is_stopped = stop and stop not in text.removesuffix(stop)
    return text.removesuffix(stop) + stop if is_stopped else text + end


def prediction(style: PromptStyle, request: PredictionRequest, reply: Reply) -> Prediction:
    """Turn a reply into a prediction."""
    text = style.text(request, reply)
    status = "ended"
    has_end = text.endswith(notation(style.codec).end_mark)
    if len(text) > request.limit or ((reply.cut or request.stop) and not has_end):
        status = "budget"
    elif len(text) <= len(request.given):
        status = "empty"
    notes = [f"answer {reply.number}"] if reply.number else []
    if reply.late:
        notes.append(f"cut by the deadline of {reply.late}")
    return Prediction(
        text=text[: request.limit],
        status=status,
        logprob=reply.logprob,
        codec=style.codec,
        sure=frame_logprobs(reply.tokens),
        said=style.answer(request, reply) if isinstance(style, AsksForAnswer) else None,
        note=", ".join(notes),
    )


def read_reply(answer: dict[str, Any], model: str) -> Reply:
    """Read the answer of an OpenAI-compatible server.

    Raises:
        Unanswered: A necessary part is missing, or another model answered.
    """
    name = answer.get("model")
    if isinstance(name, str) and not _same_model(name, model):
        why = f"an answer of the model {_short_name(name)!r}, not {model!r}"
        raise Unanswered(why, again=False, kind=OTHER_MODEL)
    choices = answer.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        raise Unanswered("an answer without `choices`")
    finish = choice.get("finish_reason")
    if finish not in (*DONE, *CUT):
        raise Unanswered(f"an answer with the finish_reason {_short_name(finish)!r}", again=finish is None)
    reason = choice.get("stop_reason", choice.get("matched_stop", ""))
    pieces = _pieces(choice.get("logprobs"))
    ids = _ids(choice.get("token_ids")) or _ids([piece.get("id") for piece in pieces])
    logprob = summed_logprob([piece.get("logprob") for piece in pieces])
    return Reply(
        text=_text(choice),
        cut=finish in CUT,
        mark=reason if isinstance(reason, str) else None,
        ids=ids,
        logprob=logprob,
        number=_short_name(answer.get("id") or ""),
        tokens=() if logprob is None else _tokens(pieces, ids),
        late=str(answer.get(LATE, "")),
    )


def _tokens(pieces: list[dict[str, Any]], ids: tuple[int, ...]) -> tuple[tuple[str, float], ...]:
    """Return name and log-probability of each token. If a server omits that of the stop token, it counts as certain."""
    names = [NAMES.get(number, "") for number in ids]
    if not ids and all(isinstance(piece.get("token"), str) for piece in pieces):
        names = [_special(piece["token"]) for piece in pieces]
    logprobs = [float(piece["logprob"]) for piece in pieces]
    return tuple(zip(names, [*logprobs, *[0.0] * (len(names) - len(logprobs))], strict=False))


def _special(spelling: str) -> str:
    match = SPECIAL.fullmatch(spelling)
    return match[1] if match else ""


def _text(choice: dict[str, Any]) -> str:
    message = choice.get("message")
    content = message.get("content") if isinstance(message, dict) else choice.get("text")
    if content is None and isinstance(message, dict):
        return ""  # the reply is reasoning only
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    if not isinstance(content, str):
        raise Unanswered("an answer without a text")
    return content


def _pieces(logprobs: Any) -> list[dict[str, Any]]:
    """Return the tokens of an answer in the newer format; the older one is converted."""
    if not isinstance(logprobs, dict):
        return []
    content = logprobs.get("content")
    if isinstance(content, list):
        return [piece for piece in content if isinstance(piece, dict)]
    older, texts = logprobs.get("token_logprobs"), logprobs.get("tokens")
    if not isinstance(older, list):
        return []
    texts = texts if isinstance(texts, list) and len(texts) == len(older) else [None] * len(older)
    return [{"logprob": logprob, "token": text} for logprob, text in zip(older, texts, strict=True)]


def _ids(ids: Any) -> tuple[int, ...]:
    if not isinstance(ids, list) or not all(type(number) is int and 0 <= number < 1 << 32 for number in ids):
        return ()
    return tuple(ids)


def _short_name(value: Any) -> str:
    """Shorten a name that a server sent; for other values, return the type."""
    if isinstance(value, str | int | float | None):
        return one_line(str(value), MAX_NAME_CHARS)
    return type(value).__name__


def _same_model(answered: str, requested: str) -> bool:
    """Whether a name in an answer can be the requested model: servers add folders, dates and suffixes."""
    answered, requested = answered.rpartition("/")[2], requested.rpartition("/")[2]
    if not answered.startswith(requested):
        return False
    return answered == requested or _NAME_SUFFIX.fullmatch(answered, len(requested)) is not None


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _until_end(data: bytes) -> bytes:
    """Cut a text after its end mark: a server without stop texts continues after it."""
    if data.startswith(b".\n"):
        return b".\n"
    at = data.find(END_MARK.encode())
    return data if at < 0 else data[: at + len(END_MARK)]
