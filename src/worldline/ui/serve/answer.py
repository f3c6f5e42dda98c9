"""What is answered, in the shapes of OpenAI's completions protocol: a text, a piece of a stream, models, errors.

A byte that is no character of its own is shown as the protocol shows parts of characters: `bytes:\\xe2`. In a text,
bytes that are no UTF-8 are U+FFFD, but for halves of surrogate pairs, which our programs may hold and which stay;
`token_ids` are the bytes themselves. `text_offset` counts characters of the text.
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
    """Half a surrogate pair as `surrogatepass` reads it; U+FFFD for any other bytes that are none."""
    assert isinstance(error, UnicodeDecodeError)
    found = error.object[error.start : error.start + 3]
    try:
        return found.decode("utf-8", "surrogatepass"), error.start + 3
    except UnicodeDecodeError:
        return "\ufffd", error.end


codecs.register_error(_HANDLER, _surrogate)


class ShownText:
    """What was shown of one text so far: pieces for a stream, or all of it at once."""

    def __init__(self, completion: Completion, index: int) -> None:
        self._completion, self._index = completion, index
        self._decoder = codecs.getincrementaldecoder("utf-8")(_HANDLER)
        self._bytes = self._characters = 0

    @property
    def size(self) -> int:
        """The bytes that were shown."""
        return self._bytes

    def choice(self) -> dict[str, Any]:
        """What is to be shown since the last time; with why it ended once it has."""
        found = self._completion
        finish, first, end = found.finish, self._bytes, found.shown  # in this order: the end is told last
        data = bytes(found.text[first:end])
        offsets, parts = [], []
        for byte in data:
            offsets.append(self._characters)
            parts.append(self._decoder.decode(bytes([byte])))
            self._characters += len(parts[-1])
        if finish:
            parts.append(self._decoder.decode(b"", final=True))
        self._bytes = end
        ids = {"token_ids": list(data)} if found.question.tells_ids else {}
        reason = found.stop.decode("utf-8", "surrogatepass") if found.stop and finish else None
        stop = {"stop_reason": reason} if finish == STOP else {}
        return {
            "index": self._index, "text": "".join(parts), "logprobs": self._logprobs(first, end, offsets),
            "finish_reason": finish or None, **stop, **ids,
        }  # fmt: skip

    def _logprobs(self, first: int, end: int, offsets: list[int]) -> dict[str, Any] | None:
        found, top = self._completion, self._completion.question.top
        if top is None:
            return None
        tops = [{spelled(byte): each for byte, each in one.items()} for one in found.tops[first:end]]
        return {
            "tokens": [spelled(byte) for byte in found.text[first:end]],
            "token_logprobs": found.logprobs[first:end],
            "top_logprobs": tops if top else None, "text_offset": offsets,
        }  # fmt: skip


def spelled(byte: int) -> str:
    """A byte as a token."""
    return chr(byte) if byte < 0x80 else f"bytes:\\x{byte:02x}"


def completed(
    choices: Sequence[dict[str, Any]], *, number: str, at: int, model: str, used: dict[str, int] | None
) -> dict[str, Any]:
    """An answer, or a piece of one; without `used` nothing is said of that."""
    usage = {} if used is None else {"usage": used}
    return {"id": number, "object": OBJECT, "created": at, "model": model, "choices": list(choices), **usage}


def usage(prompts: Sequence[bytes], completions: Sequence[Completion]) -> dict[str, int]:
    """The bytes that were read and written."""
    read, written = sum(map(len, prompts)), sum(len(each.text) for each in completions)
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def model_entry(name: str, digest: str, at: int) -> dict[str, Any]:
    """A model in the list of models; `digest` is of its weights."""
    return {"id": name, "object": "model", "created": at, "owned_by": "worldline", "digest": digest}


def error_object(status: int, slug: str, message: str) -> dict[str, Any]:
    """An error."""
    kind = "server_error" if status >= 500 else "invalid_request_error"
    return {"error": {"message": message[:2000], "type": kind, "param": None, "code": slug}}


def error_answer(status: int, slug: str, message: str) -> bytes:
    """The same, ready to be sent."""
    return json.dumps(error_object(status, slug, message)).encode()
