"""The names of the notations, for whoever offers a choice and loads none of them."""

from __future__ import annotations

NOTATIONS = ("compact", "cwm")
DEFAULT_NOTATION = "compact"
