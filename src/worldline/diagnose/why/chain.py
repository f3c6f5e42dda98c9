"""The answer to "why": a chain of operations, newest first, with true and predicted values side by side."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from worldline.diagnose.value_diff import same_value

LINK_KINDS = ("written", "argument", "input", "returned", "yielded", "raised", "printed", "read", "path", "decided")


def is_different(wanted: str | None, got: str | None) -> bool:
    """Tell whether a true and a predicted value differ; None is no value."""
    return wanted != got and (wanted is None or got is None or not same_value(wanted, got))


@dataclass(frozen=True, kw_only=True)
class ChainOperand:
    """A value that an operation read: how the source spells it, and its true and predicted value (None: none)."""

    text: str
    wanted: str | None
    got: str | None

    @property
    def is_wrong(self) -> bool:
        """Whether both values differ."""
        return is_different(self.wanted, self.got)


@dataclass(frozen=True, kw_only=True)
class WhyLink:
    """One operation of the chain: what it set, from which operands, at which true and predicted step.

    Attributes:
        kind: One of `LINK_KINDS`. `path`: the runs executed different lines. `decided`: a condition was judged.
        name: What has the value: `n`, `out[2]`, `f()`.
        truth: The true step; None if the true run has none.
        found: The predicted step; None if the prediction has none.
        line: The line of the predicted step; of the true one if there is no predicted step.
        true_line: The line of the true step, if it is another one; otherwise None.
        file: The file of the line; None for the main file.
        function: The function that executed it.
        operation: The operation by name, such as `concatenation`; empty if unknown.
        text: The operation as the source spells it.
        wanted: The true value; None if there is none.
        got: The predicted value; None if there is none.
        operands: What the operation read.
        is_origin: Whether right operands gave a wrong result.
        note: What the values do not show.
        feeds: The number of the link that this one explains; None for the first.
        times: How many steps of the same line and name this link stands for.
    """

    kind: str
    name: str
    truth: int | None
    found: int | None
    line: int | None
    true_line: int | None = None
    file: str | None = None
    function: str = ""
    operation: str = ""
    text: str = ""
    wanted: str | None = None
    got: str | None = None
    operands: tuple[ChainOperand, ...] = ()
    is_origin: bool = False
    note: str = ""
    feeds: int | None = None
    times: int = 1

    @property
    def is_wrong(self) -> bool:
        """Whether the true and the predicted value differ."""
        return is_different(self.wanted, self.got)


@dataclass(frozen=True, kw_only=True)
class WhyChain:
    """Why a value is what it is. `more` counts the wrong values behind the last links that are not followed."""

    name: str
    wanted: str | None
    got: str | None
    links: tuple[WhyLink, ...] = ()
    notes: tuple[str, ...] = ()
    more: int = 0

    @property
    def is_wrong(self) -> bool:
        """Whether the value is wrong; the chain of a right value goes back to its inputs."""
        return is_different(self.wanted, self.got)

    @property
    def origins(self) -> tuple[WhyLink, ...]:
        """The operations that gave a wrong result from right operands."""
        return tuple(link for link in self.links if link.is_origin)

    def as_json(self) -> dict[str, Any]:
        """Return the chain as JSON."""
        links = [{**asdict(link), "is_wrong": link.is_wrong} for link in self.links]
        for link in links:
            link["operands"] = [
                {**operand, "is_wrong": is_different(operand["wanted"], operand["got"])} for operand in link["operands"]
            ]
        return {**asdict(self), "links": links, "notes": list(self.notes), "is_wrong": self.is_wrong}
