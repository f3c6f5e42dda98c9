"""What traces cost in each text format: frames, characters, bytes, tokens, and the share of a context window.

A pure function over traces and tokenizers; recording, reading tokenizer files and printing are others' work.
The prompt (the source, and how it is run) and the steps are counted apart: a model is given the one and
writes the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from worldline.codec.compact import writer as compact
from worldline.codec.compact.prompt import Compact, prompt
from worldline.codec.cost_curve import CurveRow, curve
from worldline.codec.cwm import writer as cwm
from worldline.codec.cwm.text import token
from worldline.codec.tokens import Tokenizer
from worldline.core.trace import Trace


@dataclass(frozen=True)
class FormattedTrace:
    """A trace in one format: the prompt, the steps, and how many frames (steps as the format shows them)."""

    prompt: str
    steps: str
    frames: int


@dataclass(frozen=True)
class Size:
    """How long a text is; `tokens` by the tokenizer's name."""

    characters: int = 0
    bytes: int = 0
    tokens: dict[str, int] = field(default_factory=dict)

    def __add__(self, other: Size) -> Size:
        names = self.tokens | other.tokens
        tokens = {name: self.tokens.get(name, 0) + other.tokens.get(name, 0) for name in names}
        return Size(self.characters + other.characters, self.bytes + other.bytes, tokens)

    def as_json(self) -> dict[str, Any]:
        """The three counts."""
        return {"characters": self.characters, "bytes": self.bytes, "tokens": dict(self.tokens)}


@dataclass(frozen=True)
class Cost:
    """What one trace, or several together, costs in one format."""

    format: str
    frames: int
    prompt: Size
    steps: Size

    @property
    def whole(self) -> Size:
        """Prompt and steps together."""
        return self.prompt + self.steps

    def shares(self, context: int) -> dict[str, float]:
        """The part of a context window of so many tokens that the whole text takes, by tokenizer."""
        return {name: count / context for name, count in self.whole.tokens.items()}

    def as_json(self, context: int) -> dict[str, Any]:
        """The counts of the whole text, of its two parts, and its share of the window."""
        parts = {"prompt": self.prompt.as_json(), "steps": self.steps.as_json()}
        return {"frames": self.frames, **self.whole.as_json(), "share": self.shares(context), **parts}


@dataclass(frozen=True)
class TraceCosts:
    """One trace's costs, one per format; `value` is the longest value that it tells, in characters."""

    name: str
    call: str | None
    steps: int
    outcome: str
    costs: tuple[Cost, ...]
    value: int = 0


@dataclass(frozen=True)
class CostTable:
    """The costs of some traces in every format."""

    rows: tuple[TraceCosts, ...]
    tokenizers: tuple[str, ...]
    context: int

    @property
    def total(self) -> tuple[Cost, ...]:
        """The sums over all traces, one per format."""
        sums: dict[str, Cost] = {}
        for cost in (cost for row in self.rows for cost in row.costs):
            so_far = sums.get(cost.format, Cost(cost.format, 0, Size(), Size()))
            sums[cost.format] = Cost(
                cost.format,
                so_far.frames + cost.frames,
                so_far.prompt + cost.prompt,
                so_far.steps + cost.steps,
            )
        return tuple(sums.values())

    def fitting(self, format: str, tokenizer: str) -> int:
        """How many of the traces fit the context window whole."""
        costs = [cost for row in self.rows for cost in row.costs if cost.format == format]
        return sum(cost.whole.tokens[tokenizer] <= self.context for cost in costs)

    def curve(self, format: str, tokenizer: str, by: str) -> tuple[CurveRow, ...]:
        """How many tokens the steps of a trace take, by its `steps` or its longest `value`."""
        costs = [(getattr(row, by), cost) for row in self.rows for cost in row.costs if cost.format == format]
        return curve((length, cost.steps.tokens[tokenizer]) for length, cost in costs)

    def _curves(self, format: str) -> dict[str, Any]:
        return {
            name: {by: [row.as_json() for row in self.curve(format, name, by)] for by in ("steps", "value")}
            for name in self.tokenizers
        }

    def as_json(self) -> dict[str, Any]:
        """The object that `cost --json` prints."""
        total = {cost.format: cost.as_json(self.context) for cost in self.total}
        for name, figures in total.items():
            figures["mean_share"] = {
                key: value / len(self.rows) for key, value in figures.pop("share").items()
            }
            figures["fitting"] = {key: self.fitting(name, key) for key in self.tokenizers}
        rows = [
            {
                "program": row.name, "call": row.call, "steps": row.steps, "value": row.value, "outcome": row.outcome,
                "formats": {cost.format: cost.as_json(self.context) for cost in row.costs},
            }
            for row in self.rows
        ]  # fmt: skip
        return {
            "context": self.context, "tokenizers": list(self.tokenizers), "traces": rows, "total": total,
            "curves": {name: self._curves(name) for name in total},
        }  # fmt: skip


def cost(traces: Iterable[Trace], tokenizers: Sequence[Tokenizer], context: int) -> CostTable:
    """The cost of each trace in every format by every tokenizer, beside a window of `context` tokens."""
    rows = []
    for trace in traces:
        costs = tuple(_cost(name, write(trace), tokenizers) for name, write in FORMATS.items())
        program = trace.program
        longest = _longest(trace)
        rows.append(TraceCosts(program.name, program.call, len(trace), trace.outcome.kind, costs, longest))
    return CostTable(tuple(rows), tuple(tokenizer.name for tokenizer in tokenizers), context)


def _longest(trace: Trace) -> int:
    """The characters of the longest value that a trace tells."""
    values = (text for step in trace.steps for text in (*step.delta.values(), step.arg or ""))
    return max(map(len, values), default=0)


def _cost(format: str, written: FormattedTrace, tokenizers: Sequence[Tokenizer]) -> Cost:
    prompt, steps = _size(written.prompt, tokenizers), _size(written.steps, tokenizers)
    return Cost(format, written.frames, prompt, steps)


def _size(text: str, tokenizers: Sequence[Tokenizer]) -> Size:
    tokens = {tokenizer.name: tokenizer.count(text) for tokenizer in tokenizers}
    return Size(len(text), len(text.encode("utf-8", "surrogatepass")), tokens)


def _cwm(trace: Trace) -> FormattedTrace:
    # A source in which the token's text occurs is shielded, so every one that is found ends a frame or the prompt.
    text, end = cwm.encode(trace), token("frame_sep")
    start = text.index(end) + len(end)
    return FormattedTrace(text[:start], text[start:], text.count(end) - 1)


def _compact(options: Compact) -> Callable[[Trace], FormattedTrace]:
    def write(trace: Trace) -> FormattedTrace:
        first, steps = prompt(trace.program, options, trace.hidden), compact.encode_steps(trace, options)
        return FormattedTrace(_text(first), _text(steps), len(trace))

    return write


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


FORMATS: dict[str, Callable[[Trace], FormattedTrace]] = {
    "cwm": _cwm,
    "compact": _compact(Compact()),
    "compact bare": _compact(Compact(bare=True)),
    "compact element": _compact(Compact(delta="element")),
}
"""The formats of the table: Meta's, and the byte codec: plain, without idle source lines, with element deltas."""
