"""How much a test tries, by tier: a few examples in `make test`, many in `make test-all`.

A test that scales this way carries the marker `fuzz`, so that `make test-all` runs it again with more examples.
Property tests need no marker: Hypothesis sets one of its own.
"""

from __future__ import annotations

import os

IS_FULL = os.environ.get("WORLDLINE_TESTS") == "full"


def examples(few: int, many: int, variable: str = "") -> int:
    """Return `few` in `make test` and `many` in `make test-all`, unless an environment variable sets the number."""
    override = os.environ.get(variable) if variable else None
    return int(override) if override else many if IS_FULL else few
