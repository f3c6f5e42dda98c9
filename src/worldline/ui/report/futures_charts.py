"""The figures of a belief as inline SVG: the probability of each result, and the reliability diagram."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from worldline.plan.futures.scores import ReliabilityBin
from worldline.ui.report.charts import LABEL_WIDTH, MAX_ROWS, ROW_HEIGHT, label, percent
from worldline.ui.report.svg import WIDTH, svg_figure, svg_legend, svg_line, svg_point, svg_text

AXIS_ENDS = (0.04, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)  # a quarter of each is a round number


def _axis_end(masses: Sequence[float]) -> float:
    return next((end for end in AXIS_ENDS if end >= max(masses, default=1.0)), 1.0)


@dataclass(frozen=True)
class Masses:
    """Rows with a mass and its interval for each series, or None."""

    name: str
    title: str
    series: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[float, float, float] | None, ...]], ...]


def masses_svg(chart: Masses) -> str:
    """Draw one row per result, with a point and an interval for each series."""
    rows, top, right = chart.rows[:MAX_ROWS], 40, WIDTH - 30
    end = _axis_end([high for _, cells in rows for cell in cells if cell for high in cell])

    def across(mass: float) -> float:
        return LABEL_WIDTH + mass / end * (right - LABEL_WIDTH)

    def parts() -> Iterator[str]:
        yield from svg_legend(chart.series, LABEL_WIDTH, 12)
        bottom = top + ROW_HEIGHT * len(rows)
        for quarter in range(5):
            x = across(end * quarter / 4)
            yield svg_line(x, top - 6, x, bottom, "grid")
            yield svg_text(x, top - 10, percent(end * quarter / 4), "middle")
        for number, (name, cells) in enumerate(rows):
            y = top + ROW_HEIGHT * (number + 0.5)
            yield svg_text(LABEL_WIDTH - 10, y + 4, label(name), "end", "ink")
            for which, cell in enumerate(cells):
                if cell is not None:
                    height = y + 6 * (which - (len(cells) - 1) / 2)
                    mass, low, high = cell
                    tip = f"{label(name)}, {chart.series[which]}: {percent(mass)}"
                    yield svg_line(across(low), height, across(high), height, f"s{which} whisker")
                    yield svg_point(across(mass), height, which, tip)

    return svg_figure(chart.name, chart.title, top + ROW_HEIGHT * len(rows) + 6, parts())


def reliability_svg(name: str, title: str, series: Sequence[tuple[str, Sequence[ReliabilityBin]]]) -> str:
    """Draw the true over the believed probability. They are equal on the diagonal."""
    left, top, bottom, right = 60, 30, 330, 380
    end = _axis_end([value for _, bins in series for bin_ in bins for value in (bin_.believed, bin_.true)])

    def place(believed: float, true: float) -> tuple[float, float]:
        return left + believed / end * (right - left), bottom - true / end * (bottom - top)

    def parts() -> Iterator[str]:
        yield from svg_legend([name for name, _ in series], left, 14)
        for quarter in range(5):
            value = end * quarter / 4
            x, y = place(value, value)
            yield svg_line(x, top, x, bottom, "grid")
            yield svg_line(left, y, right, y, "grid")
            yield svg_text(left - 6, y + 4, percent(value), "end")
            yield svg_text(x, bottom + 18, percent(value), "middle")
        yield svg_line(*place(0, 0), *place(end, end), "axis")
        yield svg_text(right, bottom + 36, "x: believed, y: true", "end")
        for number, (label_, bins) in enumerate(series):
            for bin_ in bins:
                x, y = place(bin_.believed, bin_.true)
                bounds = f"{percent(bin_.low)} to {percent(bin_.high)}"
                rates = f"{percent(bin_.believed)} believed, {percent(bin_.true)} true"
                yield svg_line(x, y, *place(bin_.believed, bin_.believed), f"s{number} whisker")
                yield svg_point(x, y, number, f"{label_}, {bin_.n:,} of {bounds}: {rates}")

    return svg_figure(name, title, bottom + 44, parts())
