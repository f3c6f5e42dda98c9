"""The budget suite: the programs of another suite in every mode of the codec, and what each budget would have cut.

Each is asked once, with twice the bytes that the truth needs. Smaller budgets are cuts of what was written: a text that
is longer than a budget would have been cut there, after being right up to the cut or wrong before it. Only the first is
a failure of the budget. Budgets count bytes of steps, which are the tokens of a byte-level model; what Meta's format
needs for the same runs stands beside them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from dataclasses import replace as changed
from statistics import median
from typing import Any

from worldline.codec.compact.prompt import Compact
from worldline.codec.cost import FORMATS as WRITERS
from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.stats import Share
from worldline.evaluation.run.record import Record
from worldline.evaluation.suites import ASKED
from worldline.evaluation.suites import load as load_suite
from worldline.evaluation.suites.suite import Suite, Task
from worldline.evaluation.table import Cell, Table
from worldline.recording.recorder import record_many

FORMATS = {
    "dense": Compact(), "bare": Compact(bare=True), "element": Compact(delta="element"),
    "reveal 4": Compact(reveal=4), "reveal 16": Compact(reveal=16),
}  # fmt: skip
BUDGETS = (64, 128, 256, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536)
META = "Meta's, not asked"
COUNT = 200  # programs, where the other suite has no end

Sizes = dict[str, list[tuple[int, int]]]  # by format, the bytes of each true text: its prompt, its steps


def load(*, of: str = "generated", formats: str | Sequence[str] | None = None, **options: Any) -> Suite:
    """The tasks of the suite `of` (with its options), each in every format or those named; rows are formats."""
    if of not in ASKED:
        raise UsageError(f"budgets are of the programs of {', '.join(ASKED)}, not of {of!r}")
    chosen = tuple(FORMATS) if formats is None else (formats,) if isinstance(formats, str) else tuple(formats)
    strange = [name for name in chosen if name not in FORMATS]
    if strange or not chosen:
        raise UsageError(f"a format is one of {', '.join(FORMATS)}, not {', '.join(strange) or 'none'}")
    suite = load_suite(of, **options)

    def tasks() -> Iterator[Task]:
        for task in suite.tasks:
            for name in chosen:
                yield changed(task, options=FORMATS[name], name=f"{task.name} [{name}]", group=name)

    count = None if suite.count is None else COUNT * len(chosen)
    return Suite(name="budget", tasks=tasks(), count=count, limits=suite.limits)


@dataclass(frozen=True)
class _Text:
    """What was written: its length, how much of it is the truth, whether its answer is right, if a budget cut it."""

    prompt: int
    size: int
    true_size: int
    agreed: int
    is_right: bool
    is_cut: bool

    def fits(self, budget: int) -> bool:
        """Whether the whole text is inside the budget."""
        return self.size <= budget and not self.is_cut

    def is_budget_only(self, budget: int) -> bool:
        """Whether it is not inside, and right as far as it is."""
        return not self.fits(budget) and self.agreed >= min(budget, self.size)


def tables(records: Iterable[Record], *, budgets: Sequence[int] = BUDGETS) -> tuple[Table, ...]:
    """Answers right by budget and format; the failures that are the budget's alone; what the truth needs."""
    texts: dict[str, list[_Text]] = {}
    programs: dict[Program, None] = {}
    for record in records:
        if record.counts:
            texts.setdefault(record.group, []).append(_text(record))
            programs.setdefault(record.ask.program)
    largest = max((text.size for some in texts.values() for text in some), default=0)
    useful = [budget for at, budget in enumerate(budgets) if at == 0 or budgets[at - 1] < largest]
    sizes = {name: [(text.prompt, text.true_size) for text in some] for name, some in texts.items()}
    sizes |= _others(list(programs))
    return _by_budget(texts, sizes, useful), _needs(sizes)


def _text(record: Record) -> _Text:
    found, true = record.found.text, record.truth
    is_whole = record.judged["trace"] == "right"  # values may be equal that are not spelled alike
    agreed = len(found) if is_whole else common(found, true)
    is_cut = record.found.status == "budget" and record.judged["answer"] == "truncated"
    is_right = record.judged["answer"] == "right"
    return _Text(len(record.ask.prompt), len(found), len(true), agreed, is_right, is_cut)


def common(one: bytes, other: bytes) -> int:
    """How many bytes two texts have in common, from the first on."""
    low, high = 0, min(len(one), len(other))
    while low < high:  # of beginnings, the longest that is shared
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def _by_budget(texts: dict[str, list[_Text]], sizes: Sizes, budgets: Sequence[int]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name in sizes:
        for budget in budgets:
            fitting = Share(sum(size <= budget for _, size in sizes[name]), len(sizes[name]))
            rows.append((name, budget, *_shares(texts.get(name, ()), budget), fitting))
    heads = ("format", "bytes", "answers right", "of the failures, the budget's alone", "truths that fit")
    note = "the budget's alone: right up to the cut, so that a larger budget was all that was missing there"
    return Table("by budget", heads, tuple(rows), note)


def _shares(texts: Sequence[_Text], budget: int) -> tuple[Share | None, Share | None]:
    """The answers that are right within a budget, and of the others those that only the budget cut; None unasked."""
    failed = [text for text in texts if not (text.is_right and text.fits(budget))]
    alone = Share(sum(text.is_budget_only(budget) for text in failed), len(failed))
    return (Share(len(texts) - len(failed), len(texts)), alone) if texts else (None, None)


def _others(programs: Sequence[Program]) -> Sizes:
    """What the same runs need in the format that is not asked for here: the programs run again."""
    traces = record_many(programs, limits=Limits(wall=60.0)) if programs else ()
    written = [WRITERS["cwm"](trace) for trace in traces]
    sizes = [(len(one.prompt.encode()), len(one.steps.encode())) for one in written]
    return {META: sizes} if sizes else {}


def _needs(sizes: Sizes) -> Table:
    rows = tuple((name, _median(one for one, _ in some), *_spread(some)) for name, some in sizes.items())
    heads = ("format", "prompt, median", "steps, median", "90 %", "largest")
    return Table("bytes that the truth needs", heads, rows)


def _median(sizes: Iterable[int]) -> float:
    return float(median(sizes))


def _spread(sizes: Sequence[tuple[int, int]]) -> tuple[float, int, int]:
    ordered = sorted(size for _, size in sizes)
    return _median(ordered), ordered[len(ordered) * 9 // 10], ordered[-1]
