"""An answer that comes in pieces (server-sent events), put together as the one object that it would have been.

A stream that a deadline cuts keeps what has come; one that breaks off says so by having no `finish_reason`. Nothing
here waits or sends.
"""

from __future__ import annotations

import re
from typing import Any

from worldline.core.external_json import parse_external_json

DONE = b"[DONE]"
_BREAK = re.compile(rb"\r\n|\n|\r(?!\Z)")  # a \r at the very end may be half of a \r\n


class StreamedAnswer:
    """The pieces of one answer so far. `feed` raises ValueError, with a reason, where they are none."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []
        self._told: dict[str, Any] = {}
        self._choice: dict[str, Any] = {}
        self._texts: list[str] = []
        self._ids: list[Any] = []
        self._pieces: list[Any] = []
        self._is_chat = False

    @property
    def has_text(self) -> bool:
        """Whether anything was written yet."""
        return any(self._texts)

    def feed(self, data: bytes) -> None:
        """More bytes, cut anywhere."""
        *lines, self._rest = _BREAK.split(self._rest + data)
        for line in lines:
            if line.startswith(b"data:"):
                self._data.append(line[5:].removeprefix(b" "))
            elif not line and self._data:
                self._event(b"\n".join(self._data))
                self._data = []

    def answer(self, *, is_late: bool = False) -> dict[str, Any]:
        """The object that a server which does not stream would have sent; of a late one, cut for its length."""
        text = "".join(self._texts)
        shown: dict[str, Any] = {"message": {"content": text}} if self._is_chat else {"text": text}
        pieces = {"logprobs": {"content": self._pieces}} if self._pieces else {}
        ids = {"token_ids": self._ids} if self._ids else {}
        late = {"finish_reason": "length"} if is_late else {}
        return {**self._told, "choices": [{**self._choice, **shown, **pieces, **ids, **late}]}

    def _event(self, data: bytes) -> None:
        if data.strip() == DONE:
            return
        try:
            found = parse_external_json(data)
        except ValueError:
            raise ValueError("an event that is not JSON") from None
        if not isinstance(found, dict):
            raise ValueError("an event that is no JSON object")
        if "error" in found:
            said = found["error"].get("message") if isinstance(found["error"], dict) else found["error"]
            raise ValueError(f"the stream says: {said}")
        self._told |= {key: found[key] for key in ("id", "model") if key in found}
        choices = found.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            self._take(choices[0])

    def _take(self, choice: dict[str, Any]) -> None:
        delta = choice.get("delta")
        self._is_chat = self._is_chat or (isinstance(delta, dict) and "text" not in choice)
        text = (
            choice.get("text")
            if "text" in choice
            else delta.get("content")
            if isinstance(delta, dict)
            else None
        )
        if isinstance(text, str):
            self._texts.append(text)
        for key in ("finish_reason", "stop_reason", "matched_stop"):
            if choice.get(key) is not None:
                self._choice[key] = choice[key]
        ids, logprobs = choice.get("token_ids"), choice.get("logprobs")
        self._ids += ids if isinstance(ids, list) else []
        if isinstance(logprobs, dict):
            content, older = logprobs.get("content"), logprobs.get("token_logprobs")
            self._pieces += content if isinstance(content, list) else []
            self._pieces += [{"logprob": each} for each in older] if isinstance(older, list) else []
