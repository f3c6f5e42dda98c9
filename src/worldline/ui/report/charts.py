"""The figures of a report, as data and as inline SVG. `figures` draws the same data as files.

No figure relies on colour alone, and a table shows the same numbers. Labels may come from a model; `svg` escapes them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from worldline.codec.cost_curve import BUDGETS, CurveRow
from worldline.core.stats import RateDifference, Share
from worldline.core.text import printable
from worldline.ui.report.svg import WIDTH, legend_height, svg_bar, svg_figure, svg_legend, svg_line, svg_point, svg_text

ROW_HEIGHT = 22
LABEL_WIDTH = 190
MAX_ROWS = 40  # of one figure; its table has all of them
MAX_LABEL_CHARS = 30


@dataclass(frozen=True)
class Rates:
    """Shares by row, one per series.

    `is_scale`: the rows are ordered, from short to long. `measure` names the shares. The axis ends at `top`.
    `cited` are published rates, by series and row (None: not published). They have no interval; only `figures` draws
    them.
    """

    name: str
    title: str
    series: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Share, ...]], ...]
    is_scale: bool = False
    measure: str = "right"
    top: float = 1.0
    cited: tuple[tuple[str, tuple[float | None, ...]], ...] = ()
    label_chars: int = MAX_LABEL_CHARS

    @property
    def names(self) -> tuple[str, ...]:
        """The measured series, then the published ones."""
        return *self.series, *(name for name, _ in self.cited)

    @property
    def ticks(self) -> tuple[float, ...]:
        """Five rates from 0 to the top."""
        return tuple(self.top * quarter / 4 for quarter in range(5))


@dataclass(frozen=True)
class Counts:
    """A count for each row."""

    name: str
    title: str
    rows: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class SizeSpread:
    """The distribution of sizes in `unit`s, one list per series."""

    name: str
    title: str
    unit: str
    series: tuple[tuple[str, tuple[int, ...]], ...]

    @property
    def bins(self) -> tuple[tuple[int, ...], list[list[int]]]:
        """The lower bounds of doubling bins, and the counts of each series."""
        logs = [[max(size, 1).bit_length() - 1 for size in sizes] for _, sizes in self.series]
        all_logs = [log for series in logs for log in series] or [0]
        powers = range(min(all_logs), max(all_logs) + 1)
        return tuple(1 << power for power in powers), [[series.count(p) for p in powers] for series in logs]


@dataclass(frozen=True)
class Budgets:
    """Costs by row, in order: median and 10 to 90 % of each, and lines at the budgets."""

    name: str
    title: str
    unit: str
    along: str
    rows: tuple[CurveRow, ...]
    lines: tuple[int, ...] = BUDGETS

    @property
    def powers(self) -> range:
        """The powers of two of the axis, which includes all lines."""
        numbers = [number for row in self.rows for number in (row.tenth, row.ninetieth)]
        logs = [math.log2(max(number, 1)) for number in (*numbers, *self.lines)]
        return range(math.floor(min(logs)), math.ceil(max(logs)) + 1)


@dataclass(frozen=True)
class Flips:
    """The numbers of recovered and regressed samples of each intervention."""

    name: str
    title: str
    rows: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True)
class Differences:
    """Differences of rates to `baseline`, with their intervals, one per series (None: unknown)."""

    name: str
    title: str
    baseline: str
    series: tuple[str, ...]
    rows: tuple[tuple[str, tuple[RateDifference | None, ...]], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The series."""
        return self.series

    @property
    def end(self) -> float:
        """The end of the axis in both directions, which includes all intervals."""
        bounds = [abs(bound) for _, cells in self.rows for cell in cells if cell for bound in (cell.low, cell.high)]
        return next((end for end in (0.05, 0.1, 0.2, 0.4, 0.6, 1.0) if end >= max(bounds, default=0)), 1.0)


Chart = Rates | Counts | SizeSpread | Budgets | Flips | Differences


def label(text: str, max_chars: int = MAX_LABEL_CHARS) -> str:
    """Return a label as one short line, not yet escaped for markup."""
    clean = printable(text)
    return clean if len(clean) <= max_chars else clean[: max_chars - 1] + "…"


def svg(chart: Chart) -> str:
    """Return a figure as markup."""
    if isinstance(chart, Rates):
        return _curve(chart) if is_curve(chart) else _dots(chart)
    if isinstance(chart, Counts):
        return _bars(chart)
    if isinstance(chart, Budgets):
        return _budgets(chart)
    if isinstance(chart, Differences):
        return _differences(chart)
    return _histogram(chart) if isinstance(chart, SizeSpread) else _flips(chart)


def is_curve(chart: Rates) -> bool:
    """Return whether rows are drawn along the x axis: few, ordered, with short labels."""
    has_short_labels = all(len(name) <= 9 for name, _ in chart.rows)
    return chart.is_scale and 1 < len(chart.rows) <= 14 and has_short_labels


# ---- texts


def sample_size(shares: Sequence[Share]) -> str:
    """Return the n of the shares of a row, only once if it is the same; of many, the least and the greatest."""
    if len({share.n for share in shares}) > 1 and len(shares) > 2:
        return f"n {min(share.n for share in shares):,}-{max(share.n for share in shares):,}"
    sizes = [f"{share.n:,}" for share in shares]
    return f"n {', '.join(sizes if len(set(sizes)) > 1 else sizes[:1])}"


def _tip(name: str, series: str, share: Share) -> str:
    low, high = (round(100 * bound, 1) for bound in share.interval)
    rate = "-" if share.rate is None else f"{100 * share.rate:.1f} %"
    return f"{label(name)}, {series}: {rate} ({low} - {high}), {share.some:,} of {share.n:,}"


# ---- rates


def _curve(chart: Rates) -> str:
    left, lower = 48, legend_height(chart.series, 52)
    top, bottom = 26 + lower, 240 + lower
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
            yield svg_text(middle, bottom + 33, sample_size(shares), "middle")
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
    rows, top = chart.rows[:MAX_ROWS], 40 + legend_height(chart.series, LABEL_WIDTH)
    right, row_height = WIDTH - 70, row_height_of(chart.series)

    def across(rate: float) -> float:
        return LABEL_WIDTH + min(rate / chart.top, 1) * (right - LABEL_WIDTH)

    def parts() -> Iterator[str]:
        yield from svg_legend(chart.series, LABEL_WIDTH, 12)
        bottom = top + row_height * len(rows)
        for tick in chart.ticks:
            yield svg_line(across(tick), top - 6, across(tick), bottom, "grid")
            yield svg_text(across(tick), top - 10, percent(tick), "middle")
        for number, (name, shares) in enumerate(rows):
            y = top + row_height * (number + 0.5)
            yield svg_text(LABEL_WIDTH - 10, y + 4, label(name), "end", "ink")
            yield svg_text(WIDTH - 4, y + 4, sample_size(shares), "end")
            for which, share in enumerate(shares):
                height = y + series_height(chart.series) * (which - (len(shares) - 1) / 2)
                low, up = share.interval
                if share.rate is not None:
                    yield svg_line(across(low), height, across(up), height, f"s{which} whisker")
                    yield svg_point(across(share.rate), height, which, _tip(name, chart.series[which], share))

    return svg_figure(chart.name, chart.title, top + row_height * len(rows) + 6, parts())


def series_height(series: Sequence[str]) -> float:
    """Return how far apart the series of a row are."""
    return 6 if len(series) <= 2 else 9


def row_height_of(series: Sequence[str]) -> float:
    """Return the height of a row in which each series has its own line."""
    return max(ROW_HEIGHT, series_height(series) * (len(series) + 1))


def _differences(chart: Differences) -> str:
    rows, top = chart.rows[:MAX_ROWS], 40 + legend_height(chart.series, LABEL_WIDTH)
    end, right, row_height = chart.end, WIDTH - 30, row_height_of(chart.series)

    def across(rate: float) -> float:
        return LABEL_WIDTH + (rate / end + 1) / 2 * (right - LABEL_WIDTH)

    def parts() -> Iterator[str]:
        yield from svg_legend(chart.series, LABEL_WIDTH, 12)
        bottom = top + row_height * len(rows)
        for half in (-2, -1, 0, 1, 2):
            x = across(end * half / 2)
            yield svg_line(x, top - 6, x, bottom, "grid" if half else "axis")
            yield svg_text(x, top - 10, f"{50 * end * half:+.3g}" if half else "0", "middle")
        for number, (name, cells) in enumerate(rows):
            y = top + row_height * (number + 0.5)
            yield svg_text(LABEL_WIDTH - 10, y + 4, label(name), "end", "ink")
            for which, cell in enumerate(cells):
                if cell is None:
                    continue
                height = y + series_height(chart.series) * (which - (len(cells) - 1) / 2)
                bounds = f"{100 * cell.low:+.1f} to {100 * cell.high:+.1f}"
                tip = f"{label(name)}, {chart.series[which]}: {100 * cell.rate:+.1f} points ({bounds})"
                yield svg_line(across(cell.low), height, across(cell.high), height, f"s{which} whisker")
                yield svg_point(across(cell.rate), height, which, tip)
        yield svg_text(right, bottom + 16, f"points, to {label(chart.baseline)}", "end")

    return svg_figure(chart.name, chart.title, top + row_height * len(rows) + 22, parts())


# ---- counts


def _bars(chart: Counts) -> str:
    rows = chart.rows[:MAX_ROWS]
    largest = max((count for _, count in rows), default=1)

    def parts() -> Iterator[str]:
        for number, (name, count) in enumerate(rows):
            y = ROW_HEIGHT * number + 4
            width = (WIDTH - LABEL_WIDTH - 70) * count / largest
            yield svg_text(LABEL_WIDTH - 10, y + 13, label(name), "end", "ink")
            yield svg_bar(LABEL_WIDTH, y, width, ROW_HEIGHT - 6, "s0 solid", f"{label(name)}: {count:,}")
            yield svg_text(LABEL_WIDTH + width + 6, y + 13, f"{count:,}")

    return svg_figure(chart.name, chart.title, ROW_HEIGHT * len(rows) + 6, parts())


def _histogram(chart: SizeSpread) -> str:
    bounds, counts = chart.bins
    left, top, bottom = 44, 26, 190
    step = (WIDTH - left - 10) / len(bounds)
    largest = max((count for series in counts for count in series), default=1) or 1
    width = min(step / (len(counts) + 0.5), 40)

    def parts() -> Iterator[str]:
        yield from svg_legend([name for name, _ in chart.series], left + 4, 14)
        for tick in (0, largest) if largest % 2 else (0, largest // 2, largest):
            y = bottom - tick / largest * (bottom - top)
            yield svg_line(left, y, WIDTH - 10, y, "grid")
            yield svg_text(left - 6, y + 4, f"{tick:,}", "end")
        for column, bound in enumerate(bounds):
            middle = left + step * (column + 0.5)
            yield svg_text(middle, bottom + 18, size(bound), "middle")
            for number, (name, _) in enumerate(chart.series):
                count = counts[number][column]
                height = (bottom - top) * count / largest
                x = middle + width * (number - len(counts) / 2)
                tip = f"{name}, {bound:,} to {2 * bound - 1:,} {chart.unit}: {count:,}"
                yield svg_bar(x, bottom - height, width - 1, height, f"s{number} solid", tip)
        yield svg_text(WIDTH - 10, bottom + 34, f"{chart.unit}, from, doubling", "end")

    return svg_figure(chart.name, chart.title, bottom + 40, parts())


def percent(rate: float) -> str:
    """Return a rate for an axis."""
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
    """Return a power of two in few characters."""
    for power, unit in ((30, "G"), (20, "M"), (10, "K")):
        if number >= 1 << power:
            return f"{number >> power}{unit}"
    return str(number)


def _flips(chart: Flips) -> str:
    largest = max((max(gained, lost) for _, gained, lost in chart.rows), default=1) or 1
    middle = LABEL_WIDTH + 90 + (WIDTH - LABEL_WIDTH - 130) / 3
    scale = (WIDTH - 40 - middle) / largest
    scale = min(scale, (middle - LABEL_WIDTH - 40) / (max((lost for _, _, lost in chart.rows), default=0) or 1))

    def parts() -> Iterator[str]:
        yield svg_text(middle - 6, 12, "regressed", "end")
        yield svg_text(middle + 6, 12, "recovered")
        for number, (name, gained, lost) in enumerate(chart.rows):
            y = ROW_HEIGHT * number + 20
            yield svg_text(LABEL_WIDTH - 10, y + 13, label(name), "end", "ink")
            yield svg_bar(middle - scale * lost, y, scale * lost, ROW_HEIGHT - 6, "s1 solid", f"regressed: {lost:,}")
            yield svg_bar(middle, y, scale * gained, ROW_HEIGHT - 6, "s0 solid", f"recovered: {gained:,}")
            yield svg_text(middle - scale * lost - 5, y + 13, f"{lost:,}", "end")
            yield svg_text(middle + scale * gained + 5, y + 13, f"{gained:,}")
        yield svg_line(middle, 18, middle, 20 + ROW_HEIGHT * len(chart.rows), "axis")

    return svg_figure(chart.name, chart.title, 24 + ROW_HEIGHT * len(chart.rows), parts())
