"""Panels of `worldline step`'s screen and their style sheet. `draw` draws them; `app` handles clicks."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files

from rich.text import Text
from textual import events
from textual.widget import Widget

PANELS = ("source", "output", "state", "steps")
"""The panels that can have the focus, in the order of the Tab key."""
WIDTHS, HEIGHTS = [(0, "-narrow"), (64, "-wide")], [(0, "-low"), (30, "-high")]
"""The CSS classes by columns and by lines."""
Draw = Callable[[int, int, bool], list[Text]]

CSS = files(__package__).joinpath("panel.tcss").read_text("utf-8")


class Panel(Widget):
    """A panel drawn by a function. `pick` is called with the position of a click."""

    def __init__(self, name: str, draw: Draw, pick: Callable[[int, int], None] | None = None) -> None:
        super().__init__(id=name)
        self.can_focus = name in PANELS
        self._draw, self._pick = draw, pick

    def render(self) -> Text:
        width, height = self.size
        if not width or not height:
            return Text()
        lines = self._draw(width, height, self.has_focus)[:height]
        return Text("\n", no_wrap=True, end="").join(lines)

    def on_click(self, event: events.Click) -> None:
        if self._pick is not None:
            self._pick(event.x, event.y)
