"""The budget suite: the programs of another suite in every mode of the compact notation, under smaller budgets.

Each is predicted once, with twice the bytes of its true text. A smaller budget is a cut of that prediction, which was
right up to the cut or wrong before it. Only the first is a failure of the budget. Budgets count bytes of steps, the
tokens of a byte-level model. The size of the same executions in Meta's notation is shown for comparison.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from worldline.codec.compact.prompt import Compact
from worldline.codec.cost import FORMATS as WRITERS
from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.stats import Share
from worldline.evaluation.run.record import Record
from worldline.evaluation.suites import REUSABLE
from worldline.evaluation.suites import load as load_suite
from worldline.evaluation.suites.suite import Suite, Task, choose
from worldline.evaluation.table import Cell, Table
from worldline.recording.recorder import record_many

FORMATS = {
    "dense": Compact(),
    "bare": Compact(bare=True),
    "element": Compact(delta="element"),
    "reveal 4": Compact(reveal=4),
    "reveal 16": Compact(reveal=16),
}
BUDGETS = (64, 128, 256, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536)
META = "Meta's, not predicted"
COUNT = 200  # programs by default

TextSizes = dict[str, list[tuple[int, int]]]  # by format, the bytes of each true text: its prompt, its steps


def load(*, of: str = "generated", formats: str | Sequence[str] | None = None, **options: Any) -> Suite:
    """Load the tasks of the suite `of`, with its options, each in every format, or in those named."""
    if of not in REUSABLE:
        raise UsageError(f"the suite budget takes the programs of {', '.join(REUSABLE)}, not of {of!r}")
    chosen = choose(formats, FORMATS, "format")
    suite = load_suite(of, **options)

    def tasks() -> Iterator[Task]:
        for task in suite.tasks:
            for name in chosen:
                yield replace(task, options=FORMATS[name], name=f"{task.name} [{name}]", group=name)

    count = None if suite.count is None else COUNT * len(chosen)
    return Suite(name="budget", tasks=tasks(), count=count, limits=suite.limits)


@dataclass(frozen=True)
class _Text:
    """A prediction: its size, how much of it agrees with the truth, whether its answer is right, and if it was cut."""

    prompt: int
    size: int
    true_size: int
    agreed: int
    is_right: bool
    is_cut: bool

    def fits(self, budget: int) -> bool:
        """Return whether the whole text is within the budget."""
        return self.size <= budget and not self.is_cut

    def is_budget_only(self, budget: int) -> bool:
        """Return whether the budget cuts the text, and it is right up to the cut."""
        return not self.fits(budget) and self.agreed >= min(budget, self.size)


def tables(records: Iterable[Record], *, budgets: Sequence[int] = BUDGETS) -> tuple[Table, ...]:
    """Return right answers by budget and format, failures caused by the budget alone, and the size of the truth."""
    texts: dict[str, list[_Text]] = {}
    programs: dict[Program, None] = {}
    for record in records:
        if record.counts:
            texts.setdefault(record.group, []).append(_text(record))
            programs.setdefault(record.ask.program)
    largest = max((text.size for members in texts.values() for text in members), default=0)
    useful = [budget for at, budget in enumerate(budgets) if at == 0 or budgets[at - 1] < largest]
    sizes = {name: [(text.prompt, text.true_size) for text in members] for name, members in texts.items()}
    sizes |= _meta_sizes(list(programs))
    return _by_budget(texts, sizes, useful), _needs(sizes)


def _text(record: Record) -> _Text:
    written, true = record.found.text, record.truth
    is_whole = record.judged["trace"] == "right"  # equal values may have another spelling
    agreed = len(written) if is_whole else common(written, true)
    is_cut = record.found.status == "budget" and record.judged["answer"] == "truncated"
    is_right = record.judged["answer"] == "right"
    return _Text(len(record.ask.prompt), len(written), len(true), agreed, is_right, is_cut)


def common(first: bytes, second: bytes) -> int:
    """Return the length of the longest common prefix of two texts."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if first[:middle] == second[:middle] else (low, middle - 1)
    return low


def _by_budget(texts: dict[str, list[_Text]], sizes: TextSizes, budgets: Sequence[int]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name in sizes:
        for budget in budgets:
            fitting = Share(sum(size <= budget for _, size in sizes[name]), len(sizes[name]))
            rows.append((name, budget, *_shares(texts.get(name, ()), budget), fitting))
    heads = ("format", "bytes", "answers right", "of the failures, the budget's alone", "truths that fit")
    note = "the budget's alone: right up to the cut, so that only a larger budget was missing"
    return Table("by budget", heads, tuple(rows), note)


def _shares(texts: Sequence[_Text], budget: int) -> tuple[Share | None, Share | None]:
    """The answers that are right within a budget, and the share of failures that are the budget's alone."""
    failed = [text for text in texts if not (text.is_right and text.fits(budget))]
    alone = Share(sum(text.is_budget_only(budget) for text in failed), len(failed))
    return (Share(len(texts) - len(failed), len(texts)), alone) if texts else (None, None)


def _meta_sizes(programs: Sequence[Program]) -> TextSizes:
    """The sizes of the same executions in Meta's notation; the programs are executed again."""
    traces = record_many(programs, limits=Limits(wall=60.0)) if programs else ()
    written = [WRITERS["cwm"](trace) for trace in traces]
    sizes = [(len(encoded.prompt.encode()), len(encoded.steps.encode())) for encoded in written]
    return {META: sizes} if sizes else {}


def _needs(sizes: TextSizes) -> Table:
    rows = tuple((name, _median(prompt for prompt, _ in pairs), *_spread(pairs)) for name, pairs in sizes.items())
    heads = ("format", "prompt, median", "steps, median", "90 %", "largest")
    return Table("bytes that the truth needs", heads, rows)


def _median(sizes: Iterable[int]) -> float:
    return float(median(sizes))


def _spread(sizes: Sequence[tuple[int, int]]) -> tuple[float, int, int]:
    ordered = sorted(size for _, size in sizes)
    return _median(ordered), ordered[len(ordered) * 9 // 10], ordered[-1]
