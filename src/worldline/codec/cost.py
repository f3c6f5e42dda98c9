"""The cost of traces in each text format: frames, characters, bytes, tokens, share of a context window.

A pure function of traces and tokenizers. The prompt and the steps are counted separately, because a model reads the
one and writes the other.
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
    """A trace in one format: the prompt, the steps, and the number of frames (steps as the format shows them)."""

    prompt: str
    steps: str
    frames: int


@dataclass(frozen=True)
class Size:
    """The length of a text; `tokens` are by tokenizer name."""

    characters: int = 0
    bytes: int = 0
    tokens: dict[str, int] = field(default_factory=dict)

    def __add__(self, other: Size) -> Size:
        names = self.tokens | other.tokens
        tokens = {name: self.tokens.get(name, 0) + other.tokens.get(name, 0) for name in names}
        return Size(self.characters + other.characters, self.bytes + other.bytes, tokens)

    def as_json(self) -> dict[str, Any]:
        return {"characters": self.characters, "bytes": self.bytes, "tokens": dict(self.tokens)}


@dataclass(frozen=True)
class Cost:
    """The cost of one or several traces in one format."""

    format: str
    frames: int
    prompt: Size
    steps: Size

    @property
    def whole(self) -> Size:
        """The size of prompt and steps together."""
        return self.prompt + self.steps

    def shares(self, context: int) -> dict[str, float]:
        """Return the share of a context window that the whole text takes, by tokenizer."""
        return {name: count / context for name, count in self.whole.tokens.items()}

    def as_json(self, context: int) -> dict[str, Any]:
        """The counts of the whole text and its two parts, and its share of the window."""
        parts = {"prompt": self.prompt.as_json(), "steps": self.steps.as_json()}
        return {"frames": self.frames, **self.whole.as_json(), "share": self.shares(context), **parts}


@dataclass(frozen=True)
class TraceCosts:
    """The costs of one trace, one per format; `value` is the length of its longest value in characters."""

    name: str
    call: str | None
    steps: int
    outcome: str
    costs: tuple[Cost, ...]
    value: int = 0


@dataclass(frozen=True)
class CostTable:
    """The costs of traces in every format."""

    rows: tuple[TraceCosts, ...]
    tokenizers: tuple[str, ...]
    context: int

    @property
    def total(self) -> tuple[Cost, ...]:
        """The sums over all traces, one per format."""
        sums: dict[str, Cost] = {}
        for cost in (cost for row in self.rows for cost in row.costs):
            total = sums.get(cost.format, Cost(cost.format, 0, Size(), Size()))
            sums[cost.format] = Cost(
                cost.format, total.frames + cost.frames, total.prompt + cost.prompt, total.steps + cost.steps
            )
        return tuple(sums.values())

    def fitting(self, format: str, tokenizer: str) -> int:
        """Return how many traces fit into the context window."""
        costs = [cost for row in self.rows for cost in row.costs if cost.format == format]
        return sum(cost.whole.tokens[tokenizer] <= self.context for cost in costs)

    def curve(self, format: str, tokenizer: str, by: str) -> tuple[CurveRow, ...]:
        """Return the tokens that the steps of a trace take, by its `steps` or its longest `value`."""
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
            figures["mean_share"] = {key: value / len(self.rows) for key, value in figures.pop("share").items()}
            figures["fitting"] = {key: self.fitting(name, key) for key in self.tokenizers}
        rows = [
            {
                "program": row.name,
                "call": row.call,
                "steps": row.steps,
                "value": row.value,
                "outcome": row.outcome,
                "formats": {cost.format: cost.as_json(self.context) for cost in row.costs},
            }
            for row in self.rows
        ]
        return {
            "context": self.context,
            "tokenizers": list(self.tokenizers),
            "traces": rows,
            "total": total,
            "curves": {name: self._curves(name) for name in total},
        }


def cost(traces: Iterable[Trace], tokenizers: Sequence[Tokenizer], context: int) -> CostTable:
    """Compute the cost of each trace in every format with every tokenizer, for a window of `context` tokens."""
    rows = []
    for trace in traces:
        costs = tuple(_cost(name, write(trace), tokenizers) for name, write in FORMATS.items())
        program = trace.program
        longest = _longest(trace)
        rows.append(TraceCosts(program.name, program.call, len(trace), trace.outcome.kind, costs, longest))
    return CostTable(tuple(rows), tuple(tokenizer.name for tokenizer in tokenizers), context)


def _longest(trace: Trace) -> int:
    """The characters of the longest value in a trace."""
    values = (text for step in trace.steps for text in (*step.delta.values(), step.arg or ""))
    return max(map(len, values), default=0)


def _cost(format: str, written: FormattedTrace, tokenizers: Sequence[Tokenizer]) -> Cost:
    prompt, steps = _size(written.prompt, tokenizers), _size(written.steps, tokenizers)
    return Cost(format, written.frames, prompt, steps)


def _size(text: str, tokenizers: Sequence[Tokenizer]) -> Size:
    tokens = {tokenizer.name: tokenizer.count(text) for tokenizer in tokenizers}
    return Size(len(text), len(text.encode("utf-8", "surrogatepass")), tokens)


def _cwm(trace: Trace) -> FormattedTrace:
    # The token is escaped in sources, so every occurrence ends a frame or the prompt.
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
"""The formats of the table: Meta's, and the compact notation: plain, without idle lines, with element deltas."""
