"""A request as OpenAI's completions protocol asks it, checked: what is wanted, of which prompts.

A token is a byte: prompts are texts, or lists of numbers below 256. Where a parameter of the protocol has no use here
its usual value is taken and any other refused; names that the protocol does not have are refused too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worldline.ui.http.errors import Refusal
from worldline.ui.http.schema_check import fault

PROMPT = 1 << 16  # bytes; a state of the shipped model holds 2 KB for each
CHOICES = 128  # texts that one question may ask for
STOPS = 16
TOKENS = 1 << 20
TOP = 5  # log-probabilities of other bytes beside each, at most
_ANY: dict[str, Any] = {}
_FLAG = {"type": ["boolean", "null"]}
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["model", "prompt"],
    "properties": {
        "model": {"type": "string", "maxLength": 500},
        "prompt": {"type": ["string", "array"]},
        "max_tokens": {"type": ["integer", "null"], "minimum": 1, "maximum": TOKENS},
        "temperature": {"type": ["number", "null"], "minimum": 0, "maximum": 100},
        "seed": {"type": ["integer", "null"]},
        "n": {"type": ["integer", "null"], "minimum": 1, "maximum": CHOICES},
        "logprobs": {"type": ["integer", "null"], "minimum": 0, "maximum": TOP},
        "stop": {"type": ["string", "array", "null"]},
        "stream": _FLAG,
        "stream_options": {"type": ["object", "null"], "properties": {"include_usage": _FLAG}},
        "include_stop_str_in_output": _FLAG,
        "return_token_ids": _FLAG,
        "user": {"type": ["string", "null"]},
        **dict.fromkeys(
            ("top_p", "best_of", "echo", "suffix", "frequency_penalty", "presence_penalty"), _ANY
        ),
        **dict.fromkeys(("logit_bias", "stop_token_ids", "skip_special_tokens"), _ANY),
        **dict.fromkeys(("spaces_between_special_tokens", "add_special_tokens"), _ANY),
    },
}
# What has no use here, with the values that ask for nothing. There are no special tokens.
_IDLE: dict[str, tuple[Any, ...]] = {
    "top_p": (1,), "best_of": (1,), "echo": (False,), "suffix": ("",), "frequency_penalty": (0,),
    "presence_penalty": (0,), "logit_bias": ({},), "stop_token_ids": ([],), "skip_special_tokens": (True, False),
    "spaces_between_special_tokens": (True, False), "add_special_tokens": (True, False),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class CompletionRequest:
    """One question: `count` texts for each prompt. `top` is None where no log-probabilities are wanted."""

    model: str
    prompts: tuple[bytes, ...]
    most: int = 16
    temperature: float = 1.0
    seed: int | None = None
    count: int = 1
    top: int | None = None
    stops: tuple[bytes, ...] = ()
    keeps_stop: bool = False
    is_stream: bool = False
    tells_usage: bool = False
    tells_ids: bool = False


def request_of(body: Any) -> CompletionRequest:
    """The question in a body; a Refusal that says what is wrong with it."""
    if (wrong := fault(body, _SCHEMA)) is not None:
        raise Refusal(400, wrong)
    prompts = _prompts(body["prompt"])
    for name, values in _IDLE.items():
        if body.get(name) is not None and body[name] not in values:
            raise Refusal(400, f"{name} is {values[0]!r} here: this server has no other")
    given = {name: value for name, value in body.items() if value is not None}
    count = given.get("n", 1)
    if len(prompts) * count > CHOICES:
        raise Refusal(400, f"a question asks for at most {CHOICES} texts, not {len(prompts) * count}")
    return CompletionRequest(
        model=body["model"], prompts=prompts, most=given.get("max_tokens", 16), count=count,
        temperature=given.get("temperature", 1.0), seed=given.get("seed"), top=given.get("logprobs"),
        stops=_stops(given.get("stop", [])), keeps_stop=given.get("include_stop_str_in_output", False),
        is_stream=given.get("stream", False), tells_ids=given.get("return_token_ids", False),
        tells_usage=_is_true(given.get("stream_options", {}), "include_usage"),
    )  # fmt: skip


def _is_true(found: Mapping[str, Any], name: str) -> bool:
    return found.get(name) is True


def _prompts(found: str | list[Any]) -> tuple[bytes, ...]:
    """A text, several, a list of bytes, or several such."""
    several = found if isinstance(found, list) and not _is_ids(found) else [found]
    prompts = tuple(map(_prompt, several))
    if not prompts or not all(prompts):
        raise Refusal(400, "a prompt holds a byte at least")
    if (longest := max(map(len, prompts))) > PROMPT:
        raise Refusal(
            400, f"the maximum context length of a prompt is {PROMPT} bytes: this is too long, {longest}",
            slug="context_length_exceeded",
        )  # fmt: skip
    return prompts


def _is_ids(found: Any) -> bool:
    return isinstance(found, list) and bool(found) and all(type(each) is int for each in found)


def _prompt(found: Any) -> bytes:
    if isinstance(found, str):
        return encoded(found)
    if not _is_ids(found):
        raise Refusal(400, "a prompt is a text, a list of texts, or lists of token ids")
    if not all(0 <= each < 256 for each in found):
        raise Refusal(400, "a token is a byte here: the ids of a prompt are below 256")
    return bytes(found)


def _stops(found: str | list[Any]) -> tuple[bytes, ...]:
    several = [found] if isinstance(found, str) else found
    if len(several) > STOPS or not all(isinstance(each, str) and each for each in several):
        raise Refusal(400, f"stop is a text or a list of at most {STOPS}, none of them empty")
    return tuple(map(encoded, several))


def encoded(text: str) -> bytes:
    """The bytes of a text; half a surrogate pair, which our programs may hold, has three as `surrogatepass` says."""
    return text.encode("utf-8", "surrogatepass")
