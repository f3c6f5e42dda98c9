"""The figures of a run's page: what each shows, as data, and as inline SVG. Colours are the page's style sheet's.

Nothing in a figure is told by colour alone, and all of it stands in a table beside it. The same data as files is
`figures`. Every label is escaped as it is drawn (`svg`): it may be a model's.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from worldline.codec.cost_curve import BUDGETS, CurveRow
from worldline.core.stats import Share
from worldline.core.text import printable
from worldline.ui.report.svg import WIDTH, svg_bar, svg_figure, svg_legend, svg_line, svg_point, svg_text

ROW = 22
LABEL = 190  # room for the labels of rows
MOST = 40  # rows of one figure; its table has them all
WIDE = 30  # characters of a label


@dataclass(frozen=True)
class Rates:
    """Shares by row, one for each series; `is_scale`: the rows are in order, from short to long.

    `what` the shares are of; the axis ends at `top`.
    """

    name: str
    title: str
    series: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Share, ...]], ...]
    is_scale: bool = False
    what: str = "right"
    top: float = 1.0

    @property
    def ticks(self) -> tuple[float, ...]:
        """Five rates from 0 to the top."""
        return tuple(self.top * quarter / 4 for quarter in range(5))


@dataclass(frozen=True)
class Counts:
    """How often each thing occurs."""

    name: str
    title: str
    rows: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Sizes:
    """How sizes spread, one list for each series, in `unit`s."""

    name: str
    title: str
    unit: str
    series: tuple[tuple[str, tuple[int, ...]], ...]

    @property
    def bins(self) -> tuple[tuple[int, ...], list[list[int]]]:
        """The lower bounds of bins that double, and how many of each series fall into each."""
        logs = [[max(size, 1).bit_length() - 1 for size in sizes] for _, sizes in self.series]
        every = [log for some in logs for log in some] or [0]
        powers = range(min(every), max(every) + 1)
        return tuple(1 << power for power in powers), [[some.count(p) for p in powers] for some in logs]


@dataclass(frozen=True)
class Budgets:
    """How many tokens things take by row, in order: the middle and the spread of each, and lines at the budgets."""

    name: str
    title: str
    unit: str
    along: str
    rows: tuple[CurveRow, ...]
    lines: tuple[int, ...] = BUDGETS

    @property
    def powers(self) -> range:
        """The powers of two that the axis goes over, whole; both lines are always on it."""
        every = [number for row in self.rows for number in (row.tenth, row.ninetieth)]
        logs = [math.log2(max(number, 1)) for number in (*every, *self.lines)]
        return range(math.floor(min(logs)), math.ceil(max(logs)) + 1)


@dataclass(frozen=True)
class Flips:
    """What each intervention did: how many recovered, how many regressed."""

    name: str
    title: str
    rows: tuple[tuple[str, int, int], ...]


Chart = Rates | Counts | Sizes | Budgets | Flips


def label(text: str) -> str:
    """A label in one short line, not yet escaped for markup."""
    clean = printable(text)
    return clean if len(clean) <= WIDE else clean[: WIDE - 1] + "…"


def svg(chart: Chart) -> str:
    """The figure as markup."""
    if isinstance(chart, Rates):
        return _curve(chart) if is_curve(chart) else _dots(chart)
    if isinstance(chart, Counts):
        return _bars(chart)
    if isinstance(chart, Budgets):
        return _budgets(chart)
    return _histogram(chart) if isinstance(chart, Sizes) else _flips(chart)


def is_curve(chart: Rates) -> bool:
    """Whether rows are drawn along the x axis: few, in order, with short labels."""
    short = all(len(name) <= 9 for name, _ in chart.rows)
    return chart.is_scale and 1 < len(chart.rows) <= 14 and short


# ---- words


def how_many(shares: Sequence[Share]) -> str:
    """Of how many the shares of a row are, once where they are of the same."""
    every = [f"{one.n:,}" for one in shares]
    return f"n {', '.join(every if len(set(every)) > 1 else every[:1])}"


def _tip(name: str, series: str, share: Share) -> str:
    low, high = (round(100 * bound, 1) for bound in share.interval)
    rate = "-" if share.rate is None else f"{100 * share.rate:.1f} %"
    return f"{label(name)}, {series}: {rate} ({low} - {high}), {share.some:,} of {share.n:,}"


# ---- rates


def _curve(chart: Rates) -> str:
    left, top, bottom = 48, 26, 240
    step = (WIDTH - left - 10) / len(chart.rows)

    def high(rate: float) -> float:
        return bottom - min(rate / chart.top, 1) * (bottom - top)

    def parts() -> Iterator[str]:
        yield from svg_legend(chart.series, left + 4, 14)
        for tick in chart.ticks:
            yield svg_line(left, high(tick), WIDTH - 10, high(tick), "grid")
            yield svg_text(left - 6, high(tick) + 4, percent(tick), "end")
        for column, (name, shares) in enumerate(chart.rows):
            middle = left + step * (column + 0.5)
            yield svg_text(middle, bottom + 18, label(name), "middle", "ink")
            yield svg_text(middle, bottom + 33, how_many(shares), "middle")
        for number, series in enumerate(chart.series):
            shift = 9 * (number - (len(chart.series) - 1) / 2)
            places = []
            for column, (name, shares) in enumerate(chart.rows):
                share, x = shares[number], left + step * (column + 0.5) + shift
                if share.rate is None:
                    continue
                low, up = share.interval
                places.append((x, high(share.rate)))
                yield svg_line(x, high(low), x, high(up), f"s{number} whisker")
                yield svg_point(x, high(share.rate), number, _tip(name, series, share))
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
            yield f'<polyline class="s{number} path" points="{path}"/>'

    return svg_figure(chart.name, chart.title, bottom + 42, parts())


def _dots(chart: Rates) -> str:
    rows, top = chart.rows[:MOST], 40
    right = WIDTH - 70

    def across(rate: float) -> float:
        return LABEL + min(rate / chart.top, 1) * (right - LABEL)

    def parts() -> Iterator[str]:
        yield from svg_legend(chart.series, LABEL, 12)
        bottom = top + ROW * len(rows)
        for tick in chart.ticks:
            yield svg_line(across(tick), top - 6, across(tick), bottom, "grid")
            yield svg_text(across(tick), top - 10, percent(tick), "middle")
        for number, (name, shares) in enumerate(rows):
            y = top + ROW * (number + 0.5)
            yield svg_text(LABEL - 10, y + 4, label(name), "end", "ink")
            yield svg_text(WIDTH - 4, y + 4, how_many(shares), "end")
            for which, share in enumerate(shares):
                height = y + 6 * (which - (len(shares) - 1) / 2)
                low, up = share.interval
                if share.rate is not None:
                    yield svg_line(across(low), height, across(up), height, f"s{which} whisker")
                    yield svg_point(across(share.rate), height, which, _tip(name, chart.series[which], share))

    return svg_figure(chart.name, chart.title, top + ROW * len(rows) + 6, parts())


# ---- counts


def _bars(chart: Counts) -> str:
    rows = chart.rows[:MOST]
    most = max((count for _, count in rows), default=1)

    def parts() -> Iterator[str]:
        for number, (name, count) in enumerate(rows):
            y = ROW * number + 4
            width = (WIDTH - LABEL - 70) * count / most
            yield svg_text(LABEL - 10, y + 13, label(name), "end", "ink")
            yield svg_bar(LABEL, y, width, ROW - 6, "s0 solid", f"{label(name)}: {count:,}")
            yield svg_text(LABEL + width + 6, y + 13, f"{count:,}")

    return svg_figure(chart.name, chart.title, ROW * len(rows) + 6, parts())


def _histogram(chart: Sizes) -> str:
    bounds, counts = chart.bins
    left, top, bottom = 44, 26, 190
    step = (WIDTH - left - 10) / len(bounds)
    most = max((count for some in counts for count in some), default=1) or 1
    width = min(step / (len(counts) + 0.5), 40)

    def parts() -> Iterator[str]:
        yield from svg_legend([name for name, _ in chart.series], left + 4, 14)
        for tick in (0, most) if most % 2 else (0, most // 2, most):
            y = bottom - tick / most * (bottom - top)
            yield svg_line(left, y, WIDTH - 10, y, "grid")
            yield svg_text(left - 6, y + 4, f"{tick:,}", "end")
        for column, bound in enumerate(bounds):
            middle = left + step * (column + 0.5)
            yield svg_text(middle, bottom + 18, size(bound), "middle")
            for number, (name, _) in enumerate(chart.series):
                count = counts[number][column]
                tall = (bottom - top) * count / most
                x = middle + width * (number - len(counts) / 2)
                tip = f"{name}, {bound:,} to {2 * bound - 1:,} {chart.unit}: {count:,}"
                yield svg_bar(x, bottom - tall, width - 1, tall, f"s{number} solid", tip)
        yield svg_text(WIDTH - 10, bottom + 34, f"{chart.unit}, from, doubling", "end")

    return svg_figure(chart.name, chart.title, bottom + 40, parts())


def percent(rate: float) -> str:
    """A rate at an axis."""
    return f"{100 * rate:.3g} %"


def _budgets(chart: Budgets) -> str:
    left, top, bottom = 48, 26, 240
    step, powers = (WIDTH - left - 10) / max(len(chart.rows), 1), chart.powers

    def high(number: float) -> float:
        part = (math.log2(max(number, 1)) - powers[0]) / (len(powers) - 1)
        return bottom - min(max(part, 0), 1) * (bottom - top)

    def parts() -> Iterator[str]:
        for power in powers[:: 1 + len(powers) // 9]:
            yield svg_line(left, high(1 << power), WIDTH - 10, high(1 << power), "grid")
            yield svg_text(left - 6, high(1 << power) + 4, size(1 << power), "end")
        for line in chart.lines:
            yield svg_line(left, high(line), WIDTH - 10, high(line), "s1 budget")
            yield svg_text(WIDTH - 12, high(line) - 4, size(line), "end", "ink")
        places = [(left + step * (column + 0.5), row) for column, row in enumerate(chart.rows)]
        for x, row in places:
            tip = f"{row.name}: median {row.median:,.0f}, 10 to 90 % {row.tenth:,.0f} to {row.ninetieth:,.0f}"
            name = row.name if len(row.name) <= 9 else f"to {size(row.high)}"
            yield svg_text(x, bottom + 18, name, "middle", "ink")
            yield svg_text(x, bottom + 33, f"n {row.n:,}", "middle")
            yield svg_line(x, high(row.tenth), x, high(row.ninetieth), "s0 whisker")
            yield svg_point(x, high(row.median), 0, f"{tip} {chart.unit}")
        path = " ".join(f"{x:.1f},{high(row.median):.1f}" for x, row in places)
        yield f'<polyline class="s0 path" points="{path}"/>'
        yield svg_text(WIDTH - 10, bottom + 50, f"{chart.along}; {chart.unit}, median and 10 to 90 %", "end")

    return svg_figure(chart.name, chart.title, bottom + 56, parts())


def size(number: int) -> str:
    """A power of two in few characters."""
    for power, unit in ((30, "G"), (20, "M"), (10, "K")):
        if number >= 1 << power:
            return f"{number >> power}{unit}"
    return str(number)


def _flips(chart: Flips) -> str:
    most = max((max(gained, lost) for _, gained, lost in chart.rows), default=1) or 1
    middle = LABEL + 90 + (WIDTH - LABEL - 130) / 3
    scale = (WIDTH - 40 - middle) / most
    scale = min(scale, (middle - LABEL - 40) / (max((lost for _, _, lost in chart.rows), default=0) or 1))

    def parts() -> Iterator[str]:
        yield svg_text(middle - 6, 12, "regressed", "end")
        yield svg_text(middle + 6, 12, "recovered")
        for number, (name, gained, lost) in enumerate(chart.rows):
            y = ROW * number + 20
            yield svg_text(LABEL - 10, y + 13, label(name), "end", "ink")
            yield svg_bar(middle - scale * lost, y, scale * lost, ROW - 6, "s1 solid", f"regressed: {lost:,}")
            yield svg_bar(middle, y, scale * gained, ROW - 6, "s0 solid", f"recovered: {gained:,}")
            yield svg_text(middle - scale * lost - 5, y + 13, f"{lost:,}", "end")
            yield svg_text(middle + scale * gained + 5, y + 13, f"{gained:,}")
        yield svg_line(middle, 18, middle, 20 + ROW * len(chart.rows), "axis")

    return svg_figure(chart.name, chart.title, 24 + ROW * len(chart.rows), parts())
