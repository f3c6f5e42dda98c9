"""The names of the notations, for whoever offers a choice and loads none of them."""

from __future__ import annotations

from typing import Final, Literal, get_args

NotationName = Literal["compact", "cwm"]
NOTATIONS: tuple[str, ...] = get_args(NotationName)
DEFAULT_NOTATION: Final = "compact"
