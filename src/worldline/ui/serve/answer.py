"""Answers in the shapes of OpenAI's completions protocol: a text, a piece of a stream, models, errors.

A byte that is not a character of its own is written as the protocol writes parts of characters: `bytes:\\xe2`. In a
text, bytes that are not UTF-8 become U+FFFD, except lone surrogates, which programs may contain. `token_ids` are the
bytes themselves. `text_offset` counts characters.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Sequence
from typing import Any

from worldline.ui.serve.completion import STOP, Completion

OBJECT = "text_completion"
_HANDLER = "worldline-surrogates"


def _surrogate(error: UnicodeError) -> tuple[str, int]:
    """Decode a lone surrogate as `surrogatepass` does, and any other invalid bytes as U+FFFD."""
    assert isinstance(error, UnicodeDecodeError)
    data = error.object[error.start : error.start + 3]
    try:
        return data.decode("utf-8", "surrogatepass"), error.start + 3
    except UnicodeDecodeError:
        return "\ufffd", error.end


codecs.register_error(_HANDLER, _surrogate)


class ShownText:
    """One text as its client receives it: piece by piece in a stream, or all at once."""

    def __init__(self, completion: Completion, index: int) -> None:
        self._completion, self._index = completion, index
        self._decoder = codecs.getincrementaldecoder("utf-8")(_HANDLER)
        self._bytes = self._characters = 0

    @property
    def size(self) -> int:
        """The number of bytes sent."""
        return self._bytes

    def choice(self) -> dict[str, Any]:
        """Return what is new since the last call, with the finish reason at the end."""
        completion = self._completion
        # `finish` is read first: it is set last, so a finished text is complete.
        finish, first, end = completion.finish, self._bytes, completion.shown
        data = bytes(completion.text[first:end])
        offsets, parts = [], []
        for byte in data:
            offsets.append(self._characters)
            parts.append(self._decoder.decode(bytes([byte])))
            self._characters += len(parts[-1])
        if finish:
            parts.append(self._decoder.decode(b"", final=True))
        self._bytes = end
        ids = {"token_ids": list(data)} if completion.request.includes_ids else {}
        reason = completion.stop.decode("utf-8", "surrogatepass") if completion.stop and finish else None
        stop = {"stop_reason": reason} if finish == STOP else {}
        return {
            "index": self._index,
            "text": "".join(parts),
            "logprobs": self._logprobs(first, end, offsets),
            "finish_reason": finish or None,
            **stop,
            **ids,
        }

    def _logprobs(self, first: int, end: int, offsets: list[int]) -> dict[str, Any] | None:
        completion, top = self._completion, self._completion.request.top
        if top is None:
            return None
        tops = [{token(byte): logprob for byte, logprob in logprobs.items()} for logprobs in completion.tops[first:end]]
        return {
            "tokens": [token(byte) for byte in completion.text[first:end]],
            "token_logprobs": completion.logprobs[first:end],
            "top_logprobs": tops if top else None,
            "text_offset": offsets,
        }


def token(byte: int) -> str:
    """Return a byte as the protocol writes a token."""
    return chr(byte) if byte < 0x80 else f"bytes:\\x{byte:02x}"


def completion_json(
    choices: Sequence[dict[str, Any]], *, number: str, at: int, model: str, usage: dict[str, int] | None
) -> dict[str, Any]:
    """Return an answer or a piece of a stream. `usage` is left out if it is None."""
    answer = {"id": number, "object": OBJECT, "created": at, "model": model, "choices": list(choices)}
    return answer if usage is None else {**answer, "usage": usage}


def usage_json(prompts: Sequence[bytes], completions: Sequence[Completion]) -> dict[str, int]:
    """Count the bytes that were read and written."""
    read, written = sum(map(len, prompts)), sum(len(completion.text) for completion in completions)
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def error_object(status: int, slug: str, message: str) -> dict[str, Any]:
    """Return the protocol's form of an error."""
    kind = "server_error" if status >= 500 else "invalid_request_error"
    return {"error": {"message": message[:2000], "type": kind, "param": None, "code": slug}}


def error_answer(status: int, slug: str, message: str) -> bytes:
    """Return the body of an error."""
    return json.dumps(error_object(status, slug, message)).encode()
