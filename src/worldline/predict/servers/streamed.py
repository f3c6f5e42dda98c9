"""Joins the pieces of a streamed answer (server-sent events) into the object that a server without streaming sends.

A stream that a deadline cuts keeps what has arrived. A stream that breaks off has no `finish_reason`.
"""

from __future__ import annotations

import re
from typing import Any

from worldline.core.external_json import parse_external_json

DONE = b"[DONE]"
_BREAK = re.compile(rb"\r\n|\n|\r(?!\Z)")  # a \r at the end may be half of a \r\n


class StreamedAnswer:
    """The pieces of one answer so far."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []
        self._fields: dict[str, Any] = {}
        self._choice: dict[str, Any] = {}
        self._texts: list[str] = []
        self._ids: list[Any] = []
        self._pieces: list[Any] = []
        self._is_chat = False

    @property
    def has_text(self) -> bool:
        """Whether any text has arrived."""
        return any(self._texts)

    def feed(self, data: bytes) -> None:
        """Add bytes, cut anywhere.

        Raises:
            ValueError: An event is invalid, or reports an error.
        """
        *lines, self._rest = _BREAK.split(self._rest + data)
        for line in lines:
            if line.startswith(b"data:"):
                self._data.append(line[5:].removeprefix(b" "))
            elif not line and self._data:
                self._event(b"\n".join(self._data))
                self._data = []

    def answer(self, *, is_late: bool = False) -> dict[str, Any]:
        """Return the joined answer; a late one is marked as cut for its length."""
        text = "".join(self._texts)
        shown: dict[str, Any] = {"message": {"content": text}} if self._is_chat else {"text": text}
        pieces = {"logprobs": {"content": self._pieces}} if self._pieces else {}
        ids = {"token_ids": self._ids} if self._ids else {}
        late = {"finish_reason": "length"} if is_late else {}
        return {**self._fields, "choices": [{**self._choice, **shown, **pieces, **ids, **late}]}

    def _event(self, data: bytes) -> None:
        if data.strip() == DONE:
            return
        try:
            event = parse_external_json(data)
        except ValueError:
            raise ValueError("an event that is not JSON") from None
        if not isinstance(event, dict):
            raise ValueError("an event that is not a JSON object")
        if "error" in event:
            message = event["error"].get("message") if isinstance(event["error"], dict) else event["error"]
            raise ValueError(f"the stream reports: {message}")
        self._fields |= {key: event[key] for key in ("id", "model") if key in event}
        choices = event.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            self._take(choices[0])

    def _take(self, choice: dict[str, Any]) -> None:
        delta = choice.get("delta")
        self._is_chat = self._is_chat or (isinstance(delta, dict) and "text" not in choice)
        text = choice.get("text")
        if "text" not in choice and isinstance(delta, dict):
            text = delta.get("content")
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
            self._pieces += [{"logprob": logprob} for logprob in older] if isinstance(older, list) else []
