"""A checked request of OpenAI's completions protocol.

A token is a byte: a prompt is a text or a list of numbers below 256. A parameter that this server does not support is
accepted with its default value and refused with any other. Names that the protocol does not have are refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from worldline.ui.http.errors import Refusal
from worldline.ui.http.schema_check import fault

MAX_PROMPT_BYTES = 1 << 16  # the state of the shipped model takes 2 KB per byte
MAX_CHOICES = 128
MAX_STOPS = 16
MAX_TOKENS = 1 << 20
MAX_LOGPROBS = 5
_ANY: dict[str, Any] = {}
_FLAG = {"type": ["boolean", "null"]}
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["model", "prompt"],
    "properties": {
        "model": {"type": "string", "maxLength": 500},
        "prompt": {"type": ["string", "array"]},
        "max_tokens": {"type": ["integer", "null"], "minimum": 1, "maximum": MAX_TOKENS},
        "temperature": {"type": ["number", "null"], "minimum": 0, "maximum": 100},
        "seed": {"type": ["integer", "null"]},
        "n": {"type": ["integer", "null"], "minimum": 1, "maximum": MAX_CHOICES},
        "logprobs": {"type": ["integer", "null"], "minimum": 0, "maximum": MAX_LOGPROBS},
        "stop": {"type": ["string", "array", "null"]},
        "stream": _FLAG,
        "stream_options": {"type": ["object", "null"], "properties": {"include_usage": _FLAG}},
        "include_stop_str_in_output": _FLAG,
        "return_token_ids": _FLAG,
        "user": {"type": ["string", "null"]},
        **dict.fromkeys(("top_p", "best_of", "echo", "suffix", "frequency_penalty", "presence_penalty"), _ANY),
        **dict.fromkeys(("logit_bias", "stop_token_ids", "skip_special_tokens"), _ANY),
        **dict.fromkeys(("spaces_between_special_tokens", "add_special_tokens"), _ANY),
    },
}
# Parameters that are not supported, with the values that change nothing. There are no special tokens.
_UNSUPPORTED: dict[str, tuple[Any, ...]] = {
    "top_p": (1,), "best_of": (1,), "echo": (False,), "suffix": ("",), "frequency_penalty": (0,),
    "presence_penalty": (0,), "logit_bias": ({},), "stop_token_ids": ([],), "skip_special_tokens": (True, False),
    "spaces_between_special_tokens": (True, False), "add_special_tokens": (True, False),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class CompletionRequest:
    """A request for `count` texts per prompt. `top` is None if no log-probabilities are wanted."""

    model: str
    prompts: tuple[bytes, ...]
    max_tokens: int = 16
    temperature: float = 1.0
    seed: int | None = None
    count: int = 1
    top: int | None = None
    stops: tuple[bytes, ...] = ()
    includes_stop: bool = False
    is_stream: bool = False
    includes_usage: bool = False
    includes_ids: bool = False


def request_of(body: Any) -> CompletionRequest:
    """Check the body of a request.

    Raises:
        Refusal: The body is not a valid request.
    """
    if (wrong := fault(body, _SCHEMA)) is not None:
        raise Refusal(400, wrong)
    prompts = _prompts(body["prompt"])
    for name, values in _UNSUPPORTED.items():
        if body.get(name) is not None and body[name] not in values:
            raise Refusal(400, f"{name} must be {values[0]!r}: this server supports no other value")
    fields = {name: value for name, value in body.items() if value is not None}
    count = fields.get("n", 1)
    if len(prompts) * count > MAX_CHOICES:
        raise Refusal(400, f"a request may ask for at most {MAX_CHOICES} texts, not {len(prompts) * count}")
    return CompletionRequest(
        model=body["model"],
        prompts=prompts,
        max_tokens=fields.get("max_tokens", 16),
        temperature=fields.get("temperature", 1.0),
        seed=fields.get("seed"),
        count=count,
        top=fields.get("logprobs"),
        stops=_stops(fields.get("stop", [])),
        includes_stop=fields.get("include_stop_str_in_output", False),
        is_stream=fields.get("stream", False),
        includes_usage=fields.get("stream_options", {}).get("include_usage") is True,
        includes_ids=fields.get("return_token_ids", False),
    )


def _prompts(value: str | list[Any]) -> tuple[bytes, ...]:
    """Return the prompts of a text, of token ids, or of a list of either."""
    values = value if isinstance(value, list) and not _is_ids(value) else [value]
    prompts = tuple(map(_prompt, values))
    if not prompts or not all(prompts):
        raise Refusal(400, "a prompt needs at least one byte")
    if (longest := max(map(len, prompts))) > MAX_PROMPT_BYTES:
        reason = f"the maximum context length of a prompt is {MAX_PROMPT_BYTES} bytes, not {longest}"
        raise Refusal(400, reason, slug="context_length_exceeded")
    return prompts


def _is_ids(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(type(token) is int for token in value)


def _prompt(value: Any) -> bytes:
    if isinstance(value, str):
        return _encode(value)
    if not _is_ids(value):
        raise Refusal(400, "a prompt is a text, a list of texts, or lists of token ids")
    if not all(0 <= token < 256 for token in value):
        raise Refusal(400, "a token is a byte: the ids of a prompt are below 256")
    return bytes(value)


def _stops(value: str | list[Any]) -> tuple[bytes, ...]:
    texts = [value] if isinstance(value, str) else value
    if len(texts) > MAX_STOPS or not all(isinstance(text, str) and text for text in texts):
        raise Refusal(400, f"stop is a text or a list of at most {MAX_STOPS} texts, none of them empty")
    return tuple(map(_encode, texts))


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")  # programs may contain lone surrogates
