"""The pieces of figures as inline SVG, with escaped texts. The style sheet of the page sets the colours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

WIDTH, FONT = 720, 12


def svg_figure(name: str, title: str, height: float, parts: Iterator[str]) -> str:
    """Return a whole figure with a title for screen readers."""
    head = (
        f'<svg id="figure-{name}" class="chart" role="img" viewBox="0 0 {WIDTH} {height:.0f}" '
        f'font-size="{FONT}"><title>{escape(title)}</title>'
    )
    return head + "".join(parts) + "</svg>"


def svg_text(x: float, y: float, text: str, anchor: str = "start", kind: str = "soft") -> str:
    """Return one line of text."""
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def svg_line(x: float, y: float, to_x: float, to_y: float, kind: str) -> str:
    """Return a straight line."""
    return f'<line class="{kind}" x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}"/>'


def svg_bar(x: float, y: float, width: float, height: float, kind: str, tip: str) -> str:
    """Return a bar with a tooltip."""
    return (
        f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{max(height, 0):.1f}">'
        f"<title>{escape(tip)}</title></rect>"
    )


MAX_SERIES = 6  # each has its own shape and colour
_CORNERS = {
    1: ((0, -5), (5, 0), (0, 5), (-5, 0)),
    2: ((0, -5), (5, 4), (-5, 4)),
    3: ((-4, -4), (4, -4), (4, 4), (-4, 4)),
    4: ((0, 5), (5, -4), (-5, -4)),
    5: ((-5, -2), (-2, -2), (-2, -5), (2, -5), (2, -2), (5, -2), (5, 2), (2, 2), (2, 5), (-2, 5), (-2, 2), (-5, 2)),
}


def svg_point(x: float, y: float, number: int, tip: str) -> str:
    """Return the shape of a series: a disc, a diamond, a triangle, a square, a turned triangle or a cross."""
    inside = f"<title>{escape(tip)}</title>"
    if number == 0:
        return f'<circle class="s0" cx="{x:.1f}" cy="{y:.1f}" r="4">{inside}</circle>'
    corners = " ".join(f"{x + across:.1f},{y + down:.1f}" for across, down in _CORNERS[number])
    return f'<polygon class="s{number}" points="{corners}">{inside}</polygon>'


def legend_height(series: Sequence[str], x: float) -> float:
    """Return how much a legend is higher than one line."""
    places = list(_legend_places(series, x, 0))
    return places[-1][1] if places else 0.0


def svg_legend(series: Sequence[str], x: float, y: float) -> Iterator[str]:
    """Yield the names of the series in as many lines as they need."""
    for number, (name, (left, line)) in enumerate(zip(series, _legend_places(series, x, y), strict=True)):
        yield svg_point(left, line - 4, number, name)
        yield svg_text(left + 10, line, name)


def _legend_places(series: Sequence[str], x: float, y: float) -> Iterator[tuple[float, float]]:
    left = x
    for name in series:
        width = 34 + 8 * len(name)
        if left > x and left + width > WIDTH:
            left, y = x, y + 16
        yield left, y
        left += width
