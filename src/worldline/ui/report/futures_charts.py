"""The figures of a belief: each mass beside the truth's, and the reliability diagram. As inline SVG; all of it is in a
table beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from worldline.plan.futures.scores import ReliabilityBin
from worldline.ui.report.charts import LABEL, MOST, ROW, label, percent
from worldline.ui.report.svg import WIDTH, svg_figure, svg_legend, svg_line, svg_point, svg_text

TOPS = (0.04, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)  # where an axis ends: a quarter of it is a round number


def _top(masses: Sequence[float]) -> float:
    return next((top for top in TOPS if top >= max(masses, default=1.0)), 1.0)


@dataclass(frozen=True)
class Masses:
    """By row: of each series a mass and the interval around it, or nothing."""

    name: str
    title: str
    series: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[float, float, float] | None, ...]], ...]


def masses_svg(chart: Masses) -> str:
    """Rows with a point for each series, and the interval through it."""
    rows, top, right = chart.rows[:MOST], 40, WIDTH - 30
    most = _top([high for _, cells in rows for cell in cells if cell for high in cell])

    def across(mass: float) -> float:
        return LABEL + mass / most * (right - LABEL)

    def parts() -> Iterator[str]:
        yield from svg_legend(chart.series, LABEL, 12)
        bottom = top + ROW * len(rows)
        for quarter in range(5):
            x = across(most * quarter / 4)
            yield svg_line(x, top - 6, x, bottom, "grid")
            yield svg_text(x, top - 10, percent(most * quarter / 4), "middle")
        for number, (name, cells) in enumerate(rows):
            y = top + ROW * (number + 0.5)
            yield svg_text(LABEL - 10, y + 4, label(name), "end", "ink")
            for which, cell in enumerate(cells):
                if cell is not None:
                    height = y + 6 * (which - (len(cells) - 1) / 2)
                    mass, low, high = cell
                    tip = f"{label(name)}, {chart.series[which]}: {percent(mass)}"
                    yield svg_line(across(low), height, across(high), height, f"s{which} whisker")
                    yield svg_point(across(mass), height, which, tip)

    return svg_figure(chart.name, chart.title, top + ROW * len(rows) + 6, parts())


def reliability_svg(name: str, title: str, series: Sequence[tuple[str, Sequence[ReliabilityBin]]]) -> str:
    """What is true over what was believed: on the line belief and truth are the same."""
    left, top, bottom, right = 60, 30, 330, 380
    most = _top([value for _, bins in series for one in bins for value in (one.believed, one.true)])

    def place(believed: float, true: float) -> tuple[float, float]:
        return left + believed / most * (right - left), bottom - true / most * (bottom - top)

    def parts() -> Iterator[str]:
        yield from svg_legend([each for each, _ in series], left, 14)
        for quarter in range(5):
            value = most * quarter / 4
            x, y = place(value, value)
            yield svg_line(x, top, x, bottom, "grid")
            yield svg_line(left, y, right, y, "grid")
            yield svg_text(left - 6, y + 4, percent(value), "end")
            yield svg_text(x, bottom + 18, percent(value), "middle")
        yield svg_line(*place(0, 0), *place(most, most), "axis")
        yield svg_text(right, bottom + 36, "believed; upwards: true", "end")
        for number, (each, bins) in enumerate(series):
            for one in bins:
                x, y = place(one.believed, one.true)
                range_ = f"{percent(one.low)} to {percent(one.high)}"
                tip = f"{each}, {one.n:,} of {range_}: {percent(one.believed)} believed, {percent(one.true)} true"
                yield svg_line(x, y, *place(one.believed, one.believed), f"s{number} whisker")
                yield svg_point(x, y, number, tip)

    return svg_figure(name, title, bottom + 44, parts())
