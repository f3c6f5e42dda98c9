"""The style sheet that the page, the report and `debug --html` share, and the signs of verdicts.

`look.css` has every colour (light and dark, with AA contrast), the fonts, and the look of marks, verdicts and source.
Front ends add their layout and no colours.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

SIGNS = {"right": "✓", "wrong": "✗", "consequential": "≈", "open": "·"}
"""The sign of each verdict. A test compares them with `static/now.js`."""
SHEET = "look.css"


@cache
def style() -> str:
    """Return the style sheet."""
    return files(__package__).joinpath(SHEET).read_text("utf-8")
