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


def svg_point(x: float, y: float, number: int, tip: str) -> str:
    """Return a disc, a diamond or a triangle for the first, second or third series."""
    inside = f"<title>{escape(tip)}</title>"
    if number == 0:
        return f'<circle class="s0" cx="{x:.1f}" cy="{y:.1f}" r="4">{inside}</circle>'
    if number == 2:
        corners = f"{x:.1f},{y - 5:.1f} {x + 5:.1f},{y + 4:.1f} {x - 5:.1f},{y + 4:.1f}"
    else:
        corners = f"{x:.1f},{y - 5:.1f} {x + 5:.1f},{y:.1f} {x:.1f},{y + 5:.1f} {x - 5:.1f},{y:.1f}"
    return f'<polygon class="s{number}" points="{corners}">{inside}</polygon>'


def svg_legend(series: Sequence[str], x: float, y: float) -> Iterator[str]:
    """Yield the names of the series in a row."""
    for number, name in enumerate(series):
        yield svg_point(x, y - 4, number, name)
        yield svg_text(x + 10, y, name)
        x += 34 + 8 * len(name)
