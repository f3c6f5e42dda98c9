"""The look that the page, the report and `debug --html` share: one style sheet, and the signs and words of verdicts.

`look.css` has every colour (light and dark, each text at least AA on its grounds), the type, and how marks, verdicts
and source are drawn. Front ends put their own layout behind it and take no colour from elsewhere. It knows nothing of
what is shown.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

SIGNS = {"right": "✓", "wrong": "✗", "consequential": "≈", "open": "·"}
"""The sign of each verdict; `static/now.js` has the same, and a test compares."""
SHEET = "look.css"


@cache
def style() -> str:
    """The style sheet."""
    return files(__package__).joinpath(SHEET).read_text("utf-8")
