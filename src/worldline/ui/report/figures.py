"""Writes the figures of `charts` as PDF and SVG with matplotlib (extra `figures`), which is imported when needed.

The same run gives the same bytes: no dates, no random ids. Labels may come from a model, so none is read as math.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worldline.core.errors import UsageError
from worldline.core.stats import Share
from worldline.storage import files
from worldline.ui.report.charts import (
    MAX_ROWS,
    Budgets,
    Chart,
    Counts,
    Differences,
    Flips,
    Rates,
    SizeSpread,
    is_curve,
    label,
    sample_size,
    size,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS, MARKS = ("#0068a8", "#c4560a", "#1f6f5f", "#8b2f8f", "#7d5700", "#444444"), ("o", "D", "^", "s", "v", "P")
_STYLE: dict[Any, Any] = {"svg.hashsalt": "worldline", "svg.fonttype": "none", "font.size": 8, "text.parse_math": False}
_METADATA = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}


def ready() -> None:
    """Raise UsageError if matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise UsageError("figures need matplotlib: pip install 'worldline[figures]'") from None


def write(folder: Path, charts: Sequence[Chart]) -> Iterator[Path]:
    """Write every figure as NAME.pdf and NAME.svg, and yield the paths."""
    ready()
    from matplotlib import rc_context

    files.make_directory(folder)
    for chart in charts:
        with rc_context(_STYLE):
            figure = draw(chart)
            for kind, metadata in _METADATA.items():
                data = io.BytesIO()
                figure.savefig(data, format=kind, metadata=metadata)
                files.write(folder / f"{chart.name}.{kind}", data.getvalue())
                yield folder / f"{chart.name}.{kind}"


def draw(chart: Chart) -> Figure:
    """Draw one figure, without global state of matplotlib."""
    from matplotlib.figure import Figure

    rows = 8 if isinstance(chart, SizeSpread) else len(chart.rows)
    is_upright = isinstance(chart, SizeSpread | Budgets) or _is_curve(chart)
    series = len(chart.names) if isinstance(chart, Rates | Differences) else 1
    has_cited = isinstance(chart, Rates) and bool(chart.cited)
    legend = 0.2 * math.ceil(series / 2) if series > 2 or has_cited else 0.0
    height = legend + (2.6 if is_upright else 0.7 + max(0.2, 0.08 * (series + 1)) * min(rows, MAX_ROWS))
    figure = Figure(figsize=(5.5, height), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(label(chart.title) if len(chart.title) < 30 else chart.title, loc="left")
    if isinstance(chart, Rates):
        _rates(axes, chart)
    elif isinstance(chart, Counts):
        _counts(axes, chart)
    elif isinstance(chart, SizeSpread):
        _sizes(axes, chart)
    elif isinstance(chart, Budgets):
        _budgets(axes, chart)
    elif isinstance(chart, Differences):
        _differences(axes, chart)
    else:
        _flips(axes, chart)
    handles = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    order = [name for name in (chart.names if isinstance(chart, Rates) else handles) if name in handles]
    if len(order) > 2 or (isinstance(chart, Rates) and chart.cited):
        figure.legend([handles[name] for name in order], order, loc="outside lower left", frameon=False, ncols=2)
    elif order:
        figure.legend(loc="outside right upper", frameon=False)
    return figure


def _is_curve(chart: Chart) -> bool:
    return isinstance(chart, Rates) and is_curve(chart)


def _rates(axes: Axes, chart: Rates) -> None:
    rows, upright = chart.rows[:MAX_ROWS], is_curve(chart)
    for number, name in enumerate(chart.series):
        shift = _shift(number, len(chart.names))
        known = [(i + shift, shares[number]) for i, (_, shares) in enumerate(rows) if shares[number].n]
        places, rates = [place for place, _ in known], [100 * (share.rate or 0) for _, share in known]
        bounds = [[100 * bound for bound in share.interval] for _, share in known]
        errors = [
            [rate - low for rate, (low, _) in zip(rates, bounds, strict=True)],
            [high - rate for rate, (_, high) in zip(rates, bounds, strict=True)],
        ]
        style: dict[str, Any] = {"fmt": MARKS[number], "color": COLOURS[number], "label": name, "ms": 4, "lw": 1}
        if upright:
            axes.plot(places, rates, color=COLOURS[number], lw=0.8, alpha=0.5)
            axes.errorbar(places, rates, yerr=errors, **style)
        else:
            axes.errorbar(rates, places, xerr=errors, **style)
    _cited(axes, chart)
    names = [_row_name(name, shares, chart.label_chars) for name, shares in rows]
    if upright:
        axes.set_xticks(range(len(rows)), [name.replace(" (", "\n(") for name in names])
        axes.set_ylim(-2 * chart.top, 102 * chart.top)
        axes.set_ylabel(f"{chart.measure}, %")
    else:
        _names(axes, names)
        axes.set_ylim(len(names) - 0.5, -0.5)  # room for the outer series of the first and the last row
        axes.set_xlim(-2 * chart.top, 102 * chart.top)
        axes.set_xlabel(f"{chart.measure}, %")


def _cited(axes: Axes, chart: Rates) -> None:
    """Draw the published rates: hollow marks, without intervals, on a dashed curve."""
    for number, (name, rates) in enumerate(chart.cited, len(chart.series)):
        shift = _shift(number, len(chart.names))
        known = [(i + shift, 100 * rate) for i, rate in enumerate(rates[:MAX_ROWS]) if rate is not None]
        if not known:
            continue
        places, values = zip(*known, strict=True)
        across, up = (places, values) if is_curve(chart) else (values, places)
        style: dict[str, Any] = {"color": COLOURS[number], "label": name, "ms": 4, "mfc": "white", "lw": 0.8}
        axes.plot(across, up, marker=MARKS[number], ls="--" if is_curve(chart) else "none", **style)


def _row_name(name: str, shares: Sequence[Share], max_chars: int) -> str:
    """The name of a row with its n, if anything was measured."""
    text = label(name, max_chars)
    return f"{text} ({sample_size(shares)})" if any(share.n for share in shares) else text


def _shift(number: int, series: int) -> float:
    """Return how far a series is moved from the middle of its row."""
    return min(0.18, 0.7 / series) * (number - (series - 1) / 2)


def _differences(axes: Axes, chart: Differences) -> None:
    for number, name in enumerate(chart.series):
        shift = _shift(number, len(chart.series))
        known = [(i + shift, cell) for i, (_, cells) in enumerate(chart.rows) if (cell := cells[number])]
        errors = [
            [100 * (cell.rate - cell.low) for _, cell in known],
            [100 * (cell.high - cell.rate) for _, cell in known],
        ]
        rates, places = [100 * cell.rate for _, cell in known], [place for place, _ in known]
        style: dict[str, Any] = {"fmt": MARKS[number], "color": COLOURS[number], "label": name, "ms": 4, "lw": 1}
        axes.errorbar(rates, places, xerr=errors, **style)
    axes.axvline(0, color="black", lw=0.8)
    axes.set_xlim(-102 * chart.end, 102 * chart.end)
    axes.set_xlabel(f"points, to {label(chart.baseline)}")
    _names(axes, [label(name) for name, _ in chart.rows])


def _names(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()


def _counts(axes: Axes, chart: Counts) -> None:
    rows = chart.rows[:MAX_ROWS]
    bars = axes.barh(range(len(rows)), [count for _, count in rows], color=COLOURS[0])
    axes.bar_label(bars, padding=2)
    axes.set_xticks([])  # the bars are labelled with their counts
    _names(axes, [label(name) for name, _ in rows])


def _sizes(axes: Axes, chart: SizeSpread) -> None:
    bounds, counts = chart.bins
    width = 0.8 / len(counts)
    for number, (name, _) in enumerate(chart.series):
        places = [i + width * (number - (len(counts) - 1) / 2) for i in range(len(bounds))]
        axes.bar(places, counts[number], width, color=COLOURS[number], label=name)
    axes.set_xticks(range(len(bounds)), [size(bound) for bound in bounds])
    axes.set_xlabel(f"{chart.unit}, from, doubling")


def _budgets(axes: Axes, chart: Budgets) -> None:
    places, middles = range(len(chart.rows)), [row.median for row in chart.rows]
    errors = [[row.median - row.tenth for row in chart.rows], [row.ninetieth - row.median for row in chart.rows]]
    axes.plot(places, middles, color=COLOURS[0], lw=0.8, alpha=0.5)
    axes.errorbar(places, middles, yerr=errors, fmt=MARKS[0], color=COLOURS[0], ms=4, lw=1)
    for line in chart.lines:
        axes.axhline(line, color=COLOURS[1], lw=0.8, ls="--")
    axes.set_yscale("log", base=2)
    ticks = [1 << power for power in chart.powers]
    axes.set_yticks(ticks, [size(tick) for tick in ticks])
    axes.set_xticks(places, [f"{row.name}\n(n {row.n:,})" for row in chart.rows])
    axes.set_xlabel(chart.along)
    axes.set_ylabel(chart.unit)


def _flips(axes: Axes, chart: Flips) -> None:
    from matplotlib.ticker import MaxNLocator

    places = range(len(chart.rows))
    axes.barh(places, [gained for _, gained, _ in chart.rows], color=COLOURS[0], label="recovered")
    axes.barh(places, [-lost for _, _, lost in chart.rows], color=COLOURS[1], label="regressed")
    axes.axvline(0, color="black", lw=0.8)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.xaxis.set_major_formatter(lambda count, _: f"{abs(count):,.0f}")
    _names(axes, [label(name) for name, _, _ in chart.rows])
