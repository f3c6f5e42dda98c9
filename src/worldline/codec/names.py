"""The names of the notations and of the parts of a text, for callers that offer a choice without loading them."""

from __future__ import annotations

from typing import Final, Literal, get_args

NotationName = Literal["compact", "cwm"]
NOTATIONS: tuple[str, ...] = get_args(NotationName)
DEFAULT_NOTATION: Final = "compact"
PARTS = ("whole", "prompt", "steps")
